import FidoResults
import Testing
import UAFMessages
import WebAuthn

@testable import UAFClient

/// The dialect `kanidm`, at a stand-in that is written from kanidm's published types.
@Suite struct KanidmTests {
  private typealias Step = KanidmStandIn.Step

  private static func settings(origin: String? = KanidmStandIn.origin, base: String = KanidmStandIn.base)
    -> ClientSettings
  {
    var settings = ClientSettings(
      endpoint: ServerEndpoint(requestURL: base, responseURL: base), facetID: "linux:test")
    settings.webAuthn = WebAuthnSettings(interface: .kanidm, origin: origin)
    return settings
  }

  private func register(
    at server: inout KanidmStandIn, _ code: String = "8hMEe-WYhLr-vfStK-EENR5", as name: String = "mina",
    by key: inout TestCredential, _ settings: ClientSettings = settings()
  ) throws {
    var flow = CredentialRegistration(
      settings: settings, rules: try #require(settings.webAuthn), username: name, entitlement: .plainCode(code))
    try flow.start(over: &server)
    _ = try flow.collect(over: &server, among: [Scene.authenticator(keys: [])])
    _ = try flow.makeKey(with: &key)
    _ = try accepted(flow.send(over: &server))
  }

  private func login(
    at server: inout KanidmStandIn, as name: String = "mina", by key: inout TestCredential,
    _ settings: ClientSettings = settings()
  ) throws {
    var flow = CredentialAuthentication(settings: settings, rules: try #require(settings.webAuthn), username: name)
    try flow.start(over: &server)
    _ = try flow.collect(over: &server, among: [Scene.authenticator(appID: "idm.example.com")])
    try flow.sign(with: &key)
    _ = try accepted(flow.send(over: &server))
  }

  /// The refusal of a registration whose answer to one step is changed.
  private func registration(_ step: KanidmStandIn.Step, _ twist: @escaping (TransportResponse) -> TransportResponse)
    throws -> (refusal: Refusal?, server: KanidmStandIn)
  {
    var server = KanidmStandIn()
    var key = try TestCredential()
    server.twists[step] = twist
    let refusal = #expect(throws: Refusal.self) { try register(at: &server, by: &key) }
    return (refusal, server)
  }

  /// The same for a login with a key that is registered.
  private func login(_ step: KanidmStandIn.Step, _ twist: @escaping (TransportResponse) -> TransportResponse)
    throws -> (refusal: Refusal?, server: KanidmStandIn)
  {
    var server = KanidmStandIn()
    var key = try TestCredential()
    try register(at: &server, by: &key)
    server.twists[step] = twist
    let refusal = #expect(throws: Refusal.self) { try login(at: &server, by: &key) }
    return (refusal, server)
  }

  private static func replacing(_ text: String, with other: String) -> (TransportResponse) -> TransportResponse {
    { answer in
      let body = String(decoding: answer.body, as: UTF8.self)
      #expect(body.contains(text))
      return KanidmStandIn.json(body.replacing(text, with: other), session: answer.session)
    }
  }

  // MARK: Registering

  @Test func `registers with the token of a credential reset, which stores the key when it is committed`() throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    try register(at: &server, by: &key)
    #expect(server.steps == [.exchange, .passkeyinit, .passkeyfinish, .commit])
    #expect(server.passkeys.map(\.tag) == ["pam-uaf"] && server.passkeys.map(\.credential.id) == [key.keyID.bytes])
    let sent = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(sent[0] == #""8hMEe-WYhLr-vfStK-EENR5""# && sent[1] == #"["passkeyinit",{"token":"cu1"}]"#)
    #expect(!sent.dropFirst().contains { $0.contains("8hMEe") } && sent[3] == #"{"token":"cu1"}"#)
    #expect(server.requests.allSatisfy { $0.headers.isEmpty && $0.authorization == nil })
  }

  @Test(arguments: ["mina", "mina@idm.example.com"])
  func `the account is named with kanidm's domain or without it`(_ name: String) throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    try register(at: &server, as: name, by: &key)
    #expect(server.passkeys.count == 1)
  }

  @Test(arguments: ["eve", "min", "mina@", "mina@other.example", "MINA", "idm.example.com"])
  func `refuses a token for a different account, and registers nothing`(_ name: String) throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    _ = refusal(.jsonParser, byServer: true) { try register(at: &server, as: name, by: &key) }
    #expect(server.steps == [.exchange] && server.passkeys.isEmpty)
  }

  @Test func `a token that the server does not know registers nothing`() throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    let refused = refusal(.unknown, byServer: true) { try register(at: &server, "other", by: &key) }
    #expect(refused?.saysPlainNo == true && server.passkeys.isEmpty)
    let empty = refusal(.invalidParameter, byServer: false) { try register(at: &server, "", by: &key) }
    #expect(empty?.cause == .codeNotSendable && server.requests.count == 1)
  }

  @Test func `the server does not store a key whose origin is not its own`() throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    #expect(throws: Refusal.self) { try register(at: &server, by: &key, Self.settings(origin: nil)) }
    #expect(server.passkeys.isEmpty && server.steps.last == .passkeyfinish)
  }

  @Test(arguments: [
    (Step.exchange, "[{", "{"), (.exchange, #"{"token":"cu1"},"#, ""), (.exchange, #""cu1""#, "7"),
    (.exchange, #""spn""#, #""name""#),
    (.exchange, #""passkeys_state":"Modifiable""#, #""passkeys_state":"PolicyDeny""#),
    (.passkeyinit, "Passkey\"", "AttestedPasskey\""), (.passkeyinit, "publicKey", "public"),
    (.passkeyinit, #""name":"mina@idm.example.com""#, #""name":"eve@idm.example.com""#),
    (.passkeyinit, #""spn":"mina@"#, #""spn":"eve@"#), (.passkeyinit, "\"user\"", "\"person\""),
    (.passkeyfinish, #""can_commit":true"#, #""can_commit":false"#),
    (.passkeyfinish, "can_commit\":true", "can_commit\":1"),
    (.passkeyfinish, #""tag":"pam-uaf""#, #""tag":"other""#), (.passkeyfinish, #""uuid":"u0","#, ""),
    (.passkeyfinish, #"{"uuid":"u0","tag":"pam-uaf"}"#, ""),
    (.passkeyfinish, "\"None\",\"can", "\"TotpTryAgain\",\"can"),
    (.passkeyfinish, #""spn":"mina@"#, #""spn":"eve@"#),
    (
      .passkeyfinish, #"{"uuid":"u0","tag":"pam-uaf"}"#,
      #"{"uuid":"u0","tag":"pam-uaf"},{"uuid":"u1","tag":"pam-uaf"}"#
    ),
  ])
  func `refuses an answer that does not belong to this registration, before anything is committed`(
    _ step: KanidmStandIn.Step, _ text: String, _ other: String
  ) throws {
    let outcome = try registration(step, Self.replacing(text, with: other))
    #expect(outcome.refusal?.result == .jsonParser && outcome.server.passkeys.isEmpty)
    #expect(!outcome.server.steps.contains(.commit))
  }

  @Test(arguments: ["{}", "true", "[]", #""null""#, #"{"token":"cu1"}"#])
  func `a commit that is answered with anything but null has registered nothing`(_ body: String) throws {
    let outcome = try registration(.commit) { _ in KanidmStandIn.json(body) }
    #expect(outcome.refusal?.result == .jsonParser)
  }

  @Test func `a further key is registered next to the known ones`() throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    try register(at: &server, by: &key)
    server.resetToken = "again"
    var other = try TestCredential(Scene.keyID(9))
    try register(at: &server, "again", by: &other)
    #expect(server.passkeys.count == 2)
  }

  // MARK: Logging in

  @Test func `logs in with three steps, each of which sends the session of the one before`() throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    try register(at: &server, by: &key)
    try login(at: &server, by: &key)
    #expect(server.steps.suffix(3) == [.init2, .begin, .cred])
    let sent = server.requests.suffix(3).map { String(decoding: $0.body, as: UTF8.self) }
    #expect(sent[0] == #"{"step":{"init2":{"username":"mina","issue":"token","privileged":false}}}"#)
    #expect(sent[1] == #"{"step":{"begin":"passkey"}}"# && sent[2].hasPrefix(#"{"step":{"cred":{"passkey":{"#))
    let sessions = server.requests.suffix(3).map { $0.headers.map(\.value) }
    #expect(sessions[0].isEmpty && sessions[1].count == 1 && sessions[2].count == 1 && sessions[1] != sessions[2])
  }

  @Test func `an answer without a session of its own goes on with the session before`() throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    try register(at: &server, by: &key)
    server.twists[.begin] = { KanidmStandIn.json(String(decoding: $0.body, as: UTF8.self)) }
    // The stand-in has changed the session, so it refuses; the request has the one that was named last.
    #expect(throws: Refusal.self) { try login(at: &server, by: &key) }
    let sessions = server.requests.suffix(2).map { $0.headers.map(\.value) }
    #expect(sessions[0] == sessions[1] && sessions[0].count == 1)
  }

  @Test func `refuses a first answer without a session, whatever its body says`() throws {
    let outcome = try login(.init2) { KanidmStandIn.json(String(decoding: $0.body, as: UTF8.self)) }
    #expect(outcome.refusal?.result == .jsonParser && outcome.server.steps.last == .init2)
  }

  @Test(arguments: [
    (Step.init2, "choose", "continue"), (.init2, #"["password","passkey"]"#, #""passkey""#),
    (.begin, "continue", "choose"), (.begin, #"[{"passkey""#, #"[{"securitykey""#), (.begin, "publicKey", "public"),
    (.begin, #"{"continue":[{"passkey""#, #"{"success":"a","continue":[{"passkey""#),
    (.begin, "allowCredentials", "credentials"), (.cred, "success", "continue"), (.cred, #""eyJ.uat.sig""#, #""""#),
    (.cred, #""eyJ.uat.sig""#, "true"), (.cred, #""state""#, #""status""#),
    (.cred, #"{"success":"eyJ.uat.sig"}"#, #"{"success":"a","denied2":"b"}"#),
  ])
  func `refuses an answer of another step, and one that is not a success`(
    _ step: KanidmStandIn.Step, _ text: String, _ other: String
  ) throws {
    let outcome = try login(step, Self.replacing(text, with: other))
    #expect(outcome.refusal?.result == .jsonParser && outcome.server.steps.last == step)
  }

  @Test func `a success before the passkey has signed is no login`() throws {
    for step in [Step.init2, .begin] {
      let outcome = try login(step) {
        KanidmStandIn.json(#"{"sessionid":"0","state":{"success":"eyJ.uat.sig"}}"#, session: $0.session)
      }
      #expect(outcome.refusal?.result == .jsonParser && outcome.server.steps.last == step)
    }
  }

  @Test func `refuses an empty list of passkeys, which would let any key answer`() throws {
    let id = Base64URL.encode(try Scene.keyID().bytes)
    let list = #""allowCredentials":[{"type":"public-key","id":"\#(id)"}]"#
    let outcome = try login(.begin, Self.replacing(list, with: #""allowCredentials":[]"#))
    #expect(outcome.refusal?.result == .jsonParser && outcome.server.steps.last == .begin)
  }

  @Test func `an account without a passkey, and an unknown name, are refused before anybody signs`() throws {
    var server = KanidmStandIn()
    var key = try TestCredential()
    #expect(refusal(.unknown, byServer: true) { try login(at: &server, by: &key) }?.saysPlainNo == true)
    #expect(refusal(.unknown, byServer: true) { try login(at: &server, as: "eve", by: &key) }?.saysPlainNo == true)
    #expect(server.steps == [.init2, .init2])
  }

  @Test(arguments: Step.allCases.suffix(3)) func `a denial is told in the server's words`(_ step: KanidmStandIn.Step)
    throws
  {
    let outcome = try login(step) { _ in
      KanidmStandIn.json(#"{"sessionid":"0","state":{"denied":"account expired"}}"#, session: "s")
    }
    #expect(outcome.refusal?.saysPlainNo == true && outcome.refusal?.serverText == "account expired")
  }

  @Test(arguments: [
    (401, "text/plain; charset=utf-8", true), (403, "text/plain", true), (403, "text/html", false),
    (500, "text/plain", false), (500, "application/json", false), (302, "application/json", false),
    (200, "text/plain", false), (201, "application/json", false),
  ])
  func `tells a refusal from a server that has failed, and from a proxy`(
    _ status: Int, _ type: String, _ isPlain: Bool
  ) throws {
    let answer = TransportResponse(
      status: status, contentType: type, body: Array(#""accessdenied""#.utf8), cookies: "", session: "s")
    for step in Step.allCases.suffix(3) {
      #expect(try login(step) { _ in answer }.refusal?.saysPlainNo == isPlain)
    }
    for step in Step.allCases.prefix(4) {
      #expect(try registration(step) { _ in answer }.refusal?.saysPlainNo == isPlain)
    }
  }

  @Test(arguments: ["404 page not found", "", "Forbidden", "<html></html>", "404", "null", "true", "[]"])
  func `a proxy's text is no refusal of the server`(_ text: String) throws {
    let outcome = try login(.init2) { _ in KanidmStandIn.text(text, status: 404) }
    #expect(outcome.refusal?.result == .jsonParser && outcome.refusal?.saysPlainNo == false)
  }
}
