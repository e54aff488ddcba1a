import Testing

@testable import UAFConfiguration

/// `dialect = "webauthn"` and the keys that go with it.
@Suite struct WebAuthnSettingsTests {
  private let head = "[server]\ndialect='webauthn'\n"
  private let base = "base_url='https://login.example.com/fido'\n"

  private func server(_ text: String) throws -> ServerSettings {
    try #require(try Configuration(parsing: Array(text.utf8), path: "FILE").server)
  }

  /// Line and key of the refusal; nil if it is accepted.
  private func refusal(_ text: String) -> String? {
    do throws(ConfigurationError) { _ = try Configuration(parsing: Array(text.utf8), path: "FILE") } catch {
      guard case .key(_, let line, let key, _) = error else { return "\(error)" }
      return "\(line): \(key)"
    }
    return nil
  }

  @Test func `the four addresses follow from base_url`() throws {
    for text in [base, "base_url='https://login.example.com/fido/'\n"] {
      let server = try server(head + text)
      #expect(
        server.urls.map(\.text) == [
          "https://login.example.com/fido/attestation/options", "https://login.example.com/fido/attestation/result",
          "https://login.example.com/fido/assertion/options", "https://login.example.com/fido/assertion/result",
        ])
      #expect(server.webAuthn.origin == nil && server.webAuthn.relyingPartyID == nil && !server.webAuthn.hasWebOrigin)
    }
  }

  @Test func `an operation's own address replaces the address that follows from base_url`() throws {
    let own = "[server.authentication]\nrequest_url='https://b.example/q'\n"
    #expect(try server(head + base + own).authentication.requestURL?.text == "https://b.example/q")
    let both = "response_url='https://b.example/r'\n"
    let sections = own + both + "[server.registration]\nrequest_url='https://b.example/q'\n" + both
    #expect(refusal(head + sections) == nil)
    #expect(refusal(head + own + both) == "1: server")
    #expect(refusal(head) == "1: server")
  }

  @Test(arguments: [
    "origin='linux://example.com'", "origin='https://example.com'", "rp_id='example.com'", "rp_id='localhost'",
    "require_signed_verdict=true\nverdict_key='/k'", "enrolment='open'",
    "enrolment='code'\n[server.context]\nauthCode='token'", "username='{user}@example.com'",
  ])
  func `accepts the settings that root may choose with WebAuthn`(_ text: String) {
    #expect(refusal(head + base + text) == nil)
  }

  @Test(arguments: [
    ("rp_id='Example.com'", "4: server.rp_id"), ("rp_id='https://example.com'", "4: server.rp_id"),
    ("rp_id='example.com:1'", "4: server.rp_id"), ("rp_id=''", "4: server.rp_id"), ("origin=''", "4: server.origin"),
    ("origin='a b'", "4: server.origin"), ("[server.context]\nusername='u'", "5: server.context.username"),
    ("[server.success]\nmember='s'", "4: server.success"),
  ])
  func `refuses an invalid rp_id or origin, and members that WebAuthn defines itself`(
    _ text: String, _ expected: String
  ) {
    #expect(refusal(head + base + text) == expected)
  }

  @Test(arguments: ["base_url='http://a.example/'", "base_url='https://a.example/?q'", "base_url='a.example'"])
  func `refuses a base_url that is not an https address, or that has a query`(_ text: String) {
    #expect(
      refusal(head + text)?.hasPrefix("3: server.base_url") == true || refusal(head + text) == "1: server.request_url")
  }

  @Test(arguments: [
    ("require_signed_verdict=true", "4: server.require_signed_verdict"),
    ("require_signed_verdict=true\nverdict_key='/k'\n[prompt]\noffer_reset=true", "7: prompt.offer_reset"),
    ("accept_transaction='any'", "4: server.accept_transaction"),
    ("request_url='https://a.example/q'", "4: server.request_url"),
    ("response_url='https://a.example/q'", "4: server.response_url"),
    ("[server.deregistration]\nrequest_url='https://a.example/q'", "4: server.deregistration"),
    ("[service.sudo]\ntransaction=true", "5: service.sudo.transaction"),
  ])
  func `refuses settings that WebAuthn does not support`(_ text: String, _ expected: String) {
    #expect(refusal(head + base + text) == expected)
  }

  @Test(arguments: ["base_url='https://a.example'", "origin='linux://a'", "rp_id='a.example'"])
  func `refuses the settings of WebAuthn in a different dialect`(_ text: String) {
    let uaf = "[server]\nrequest_url='https://a.example/q'\nresponse_url='https://a.example/r'\n"
    #expect(refusal(uaf + text) == "4: server." + text.prefix { $0 != "=" })
  }

  private func other(_ dialect: String, _ more: String = "") -> String {
    "[server]\ndialect='\(dialect)'\nbase_url='https://login.example.com'\n" + more
  }

  @Test(arguments: [
    ("privacyidea", "", ServerSettings.Enrolment.password), ("glewlwyd", "", .password),
    ("django-otp-webauthn", "", .code), ("allauth", "origin='https://login.example.com'", .password),
    ("privacyidea", "enrolment='password'", .password), ("kanidm", "origin='https://login.example.com'", .code),
    ("flask-security", "", .password),
  ])
  func
    `in the dialects of products every address begins with base_url, and the dialect knows what a registration needs`(
      _ dialect: String, _ more: String, _ enrolment: ServerSettings.Enrolment
    ) throws
  {
    let server = try server(other(dialect, more))
    #expect(Set(server.urls.map(\.text)) == ["https://login.example.com"] && server.dialect.isWebAuthn)
    #expect(server.enrolment == enrolment)
  }

  @Test(arguments: [
    ("privacyidea", "require_signed_verdict=true\nverdict_key='/k'", "4: server.require_signed_verdict"),
    ("privacyidea", "enrolment='open'", "4: server.enrolment"),
    ("glewlwyd", "enrolment='payload'", "4: server.enrolment"),
    ("flask-security", "enrolment='code'", "4: server.enrolment"),
    ("django-otp-webauthn", "enrolment='password'", "4: server.enrolment"), ("allauth", "", "1: server"),
    ("allauth", "origin='linux://login.example.com'", "1: server"), ("kanidm", "", "1: server"),
    ("kanidm", "origin='linux://login.example.com'", "1: server"),
    ("kanidm", "origin='https://login.example.com'\nenrolment='open'", "5: server.enrolment"),
    ("glewlwyd", "[server.authentication]\nrequest_url='https://b.example/q'", "4: server.authentication"),
    ("privacyidea", "[server.context]\nauthCode='token'", "4: server.context"),
    ("privacyidea", "accept_transaction='any'", "4: server.accept_transaction"),
    ("webauthn", "enrolment='password'", "4: server.enrolment"),
    ("webauthn", "enrolment='token'", "4: server.enrolment"), ("allauth", "enrolment='token'", "4: server.enrolment"),
  ])
  func `refuses settings that do not go with a product's dialect`(
    _ dialect: String, _ more: String, _ expected: String
  ) {
    #expect(refusal(other(dialect, more)) == expected)
  }

  @Test(arguments: [("", "passkey"), ("token_type='passkey'", "passkey"), ("token_type='webauthn'", "webauthn")])
  func `root chooses the type of privacyIDEA's tokens, which is passkey without a choice`(
    _ more: String, _ type: String
  ) throws {
    #expect(try server(other("privacyidea", more)).webAuthn.tokenType.rawValue == type)
  }

  @Test(arguments: [
    ("privacyidea", "token_type='hotp'"), ("privacyidea", "token_type=''"), ("privacyidea", "token_type=true"),
    ("glewlwyd", "token_type='webauthn'"), ("glewlwyd", "token_type='passkey'"), ("webauthn", "token_type='webauthn'"),
    ("fido", "token_type='passkey'"),
  ])
  func `refuses a type of tokens that privacyIDEA does not have, and any for another server`(
    _ dialect: String, _ more: String
  ) {
    #expect(refusal(other(dialect, more)) == "4: server.token_type")
  }

  @Test(arguments: ["privacyidea", "allauth", "django-otp-webauthn", "glewlwyd", "kanidm", "flask-security"])
  func `refuses a product's dialect without base_url`(_ dialect: String) {
    #expect(refusal("[server]\ndialect='\(dialect)'\norigin='https://a.example'\n") == "1: server")
  }

  @Test func `refuses a password at a server of UAF`() {
    let uaf = "[server]\nrequest_url='https://a.example/q'\nresponse_url='https://a.example/r'\nenrolment='password'"
    #expect(refusal(uaf) == "4: server.enrolment")
  }

  @Test func `refuses tokens to redeem in the plain dialect`() {
    let plain =
      "[server]\nrequest_url='https://a.example/q'\nresponse_url='https://a.example/r'\ndialect='plain'\nenrolment='token'"
    #expect(refusal(plain) == "5: server.enrolment")
  }

  @Test(arguments: [("https://example.com", true), ("HTTPS://a", true), ("linux://a", false), ("android:apk", false)])
  func `recognises an https origin as an origin of web pages`(_ origin: String, _ isWeb: Bool) throws {
    #expect(try server(head + base + "origin='\(origin)'").webAuthn.hasWebOrigin == isWeb)
  }
}
