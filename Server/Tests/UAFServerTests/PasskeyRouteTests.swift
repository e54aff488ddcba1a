import NIOCore
import NIOHTTP1
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn
import WebMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFServer
@testable import UAFService

/// WebAuthn over HTTP, and the page for a new passkey.
struct PasskeyRouteTests {
  private let server: TestServer

  init() throws {
    let models = try AuthenticatorModels.projectOwn()
    server = try TestServer(
      policies: AccountPolicies(everybody: AcceptedSets(each: models), passkeys: PasskeyPolicy()))
  }

  private func code(of username: String) async throws -> String {
    let code = try #require(EnrolmentCode(random: RandomBytes.make(EnrolmentCode.randomByteCount)))
    let sealedKey = try EnrolmentSeal(keys: server.environment.keys).seal(
      code, for: username, nonce: RandomBytes.make(12))
    try await server.store.write { [now = server.now] records in
      try records.accounts.add(username, now: now)
      try records.enrolments.open(sealedKey, for: username, expiresAt: now + 900)
      try records.issuedCodes.add(for: username, by: "test", reachesPrivileged: false, now: now)
    }
    return code.text
  }

  private func post(
    _ client: TestClient, _ path: String, _ body: String, code: String? = nil, type: String? = "application/json"
  ) async throws -> (TestResponse, JSONObject) {
    var headers = HTTPHeaders()
    if let type { headers.add(name: "Content-Type", value: type) }
    if let code { headers.add(name: "Authorization", value: "Bearer \(code)") }
    let reply = try await client.executeRequest(
      uri: path, method: .POST, headers: headers, body: ByteBuffer(string: body))
    guard case .object(let object)? = try? JSONValue(parsing: [UInt8](buffer: reply.body)) else { return (reply, [:]) }
    return (reply, object)
  }

  private static let mina = #"{"username":"mina"}"#

  /// Registers a passkey for mina, and returns it.
  private func registered(_ client: TestClient) async throws -> SoftPasskey {
    let passkey = try SoftPasskey()
    let (_, options) = try await post(client, "/attestation/options", Self.mina, code: code(of: "mina"))
    let response = try passkey.register(PublicKeyCredentialCreationOptions(json: .object(options)))
    let (reply, told) = try await post(client, "/attestation/result", response.json.text)
    #expect(reply.status == .ok && told["status"] == .string("ok"), "\(told)")
    return passkey
  }

  @Test func `over HTTP a passkey is registered, and logs in with a signed verdict`() async throws {
    let log = RecordedLog()
    try await server.application(log: log).test { client in
      let passkey = try await registered(client)
      let (_, options) = try await post(client, "/assertion/options", Self.mina)
      #expect(options["status"] == .string("ok") && options["errorMessage"] == .string(""))
      let response = try passkey.authenticate(PublicKeyCredentialRequestOptions(json: .object(options)))
      let (reply, told) = try await post(client, "/assertion/result", response.json.text)
      #expect(reply.status == .ok && reply.headers.first(name: "Cache-Control") == "no-store")
      #expect(told["status"] == .string("ok") && told["username"] == .string("mina"))
      guard case .string(let verdict)? = told["verdict"] else { throw TestServer.Unexpected() }
      let claims = VerdictToken(keys: server.environment.keys).claims(of: verdict)
      #expect(claims?.subject == "mina" && claims?.operation == .authentication)
    }
    #expect(log.lines.filter { $0.hasPrefix("accepted ") }.count == 2)
    #expect(log.lines.allSatisfy { !$0.contains("Bearer") })
  }

  @Test func `the code is only in a header that nobody logs, and a wrong one is refused with its reason`() async throws
  {
    let log = RecordedLog()
    try await server.application(log: log).test { client in
      let right = try await code(of: "mina")
      for wrong in [nil, "", "AAAAA-AAAAA-AAAAA-AAAAA", "0000-0000-0000-0000", String(repeating: "A", count: 300)] {
        let (reply, told) = try await post(client, "/attestation/options", Self.mina, code: wrong)
        #expect(reply.status == .forbidden && told["reason"] == .string("wrong-enrolment-code"))
        #expect(told["status"] == .string("failed") && told["challenge"] == nil)
      }
      let (_, options) = try await post(client, "/attestation/options", Self.mina, code: right)
      #expect(options["status"] == .string("ok"))
      #expect(!log.lines.joined().contains(right))
    }
  }

  @Test(arguments: ["/attestation/options", "/attestation/result", "/assertion/options", "/assertion/result"])
  func `what is not a JSON object is refused, and so is another media type`(path: String) async throws {
    try await server.application().test { client in
      for body in ["", "[]", "null", "{", #"{"username":1}"#, #"{"username":"a b"}"#, "<html>"] {
        let (reply, told) = try await post(client, path, body)
        #expect(reply.status == .badRequest && told["status"] == .string("failed"), "\(path) \(body)")
      }
      for type in [nil, "text/plain", "application/x-www-form-urlencoded", "application/fido+uaf"] {
        #expect(try await post(client, path, Self.mina, type: type).0.status == .unsupportedMediaType)
      }
      let long = "{\"username\":\"mina\",\"x\":\"\(String(repeating: "a", count: 70_000))\"}"
      #expect(try await post(client, path, long).0.status == .payloadTooLarge)
    }
  }

  @Test func `a stranger cannot tell a name with passkeys from one without`() async throws {
    try await server.application().test { client in
      _ = try await registered(client)
      let (known, first) = try await post(client, "/assertion/options", Self.mina)
      let (unknown, second) = try await post(client, "/assertion/options", #"{"username":"nina"}"#)
      #expect(known.status == unknown.status && known.body.readableBytes == unknown.body.readableBytes)
      #expect(first.members.map(\.name) == second.members.map(\.name))
      #expect(known.headers.map { "\($0)" } == unknown.headers.map { "\($0)" })
    }
  }

  @Test func `an answer that was changed is refused like a wrong signature, and counted`() async throws {
    let log = RecordedLog()
    try await server.application(log: log).test { client in
      let passkey = try await registered(client)
      passkey.breaksSignature = true
      let (_, options) = try await post(client, "/assertion/options", Self.mina)
      let response = try passkey.authenticate(PublicKeyCredentialRequestOptions(json: .object(options)))
      let (reply, told) = try await post(client, "/assertion/result", response.json.text)
      #expect(reply.status == .forbidden && told["reason"] == .string("invalid-signature") && told["verdict"] == nil)
    }
    #expect(log.lines.contains { $0.contains("route=passkey-result") && $0.contains("reason=invalid-signature") })
  }

  @Test(arguments: [Self.mina, "{}"])
  func `an answer that was signed and is refused has a row that names the account, named or not`(
    question: String
  ) async throws {
    try await server.application().test { client in
      let passkey = try await registered(client)
      let now = server.now
      _ = try await server.store.write { [id = passkey.id] records in
        try records.revoke(.passkey(id, of: "mina"), Revocation(time: now, by: "test"))
      }
      for breaks in [false, true] {
        passkey.breaksSignature = breaks
        let (_, options) = try await post(client, "/assertion/options", question)
        let response = try passkey.authenticate(PublicKeyCredentialRequestOptions(json: .object(options)))
        #expect(try await post(client, "/assertion/result", response.json.text).0.status == .forbidden)
      }
      let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .login), limit: 10) }
      #expect(rows.map(\.event.outcome) == ["revoked-key"] && rows.map(\.event.account) == ["mina"])
    }
  }

  @Test(arguments: ["tpm", "fido-u2f", "android-key", "android-safetynet", "apple"])
  func `a registration whose attestation has a format that is not read is refused, with a row and as a wrong answer`(
    format: String
  ) async throws {
    let log = RecordedLog()
    try await server.application(Admission(addressRate: 0, accountRate: 1), log: log).test { client in
      let passkey = try SoftPasskey()
      passkey.attest = { _ in .unread(format: format) }
      let (_, options) = try await post(client, "/attestation/options", Self.mina, code: code(of: "mina"))
      let response = try passkey.register(PublicKeyCredentialCreationOptions(json: .object(options)))
      let (reply, told) = try await post(client, "/attestation/result", response.json.text)
      #expect(reply.status == .forbidden && told["reason"] == .string("not-in-policy"), "\(told)")
      let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .registration), limit: 10) }
      #expect(rows.map(\.event.outcome) == ["not-in-policy"] && rows.map(\.event.account) == ["mina"])
      #expect(rows.map(\.event.authenticators) == ["passkey \(Base64URL.encode(passkey.id))"])
      var statuses: [HTTPResponseStatus] = []
      for _ in 0..<4 { statuses.append(try await post(client, "/attestation/result", response.json.text).0.status) }
      #expect(statuses.contains(.tooManyRequests), "\(statuses)")
    }
    #expect(log.lines.contains { $0.contains("route=passkey-result") && $0.contains("user=mina") })
  }

  @Test func `requests for an account are limited, and another account is not`() async throws {
    try await server.application(Admission(addressRate: 0, accountRate: 2)).test { client in
      var statuses: [HTTPResponseStatus] = []
      for _ in 0..<6 { statuses.append(try await post(client, "/assertion/options", Self.mina).0.status) }
      #expect(statuses.contains(.tooManyRequests) && statuses.first == .ok)
      #expect(try await post(client, "/assertion/options", #"{"username":"other"}"#).0.status == .ok)
    }
  }

  // MARK: The page

  @Test(arguments: [PasskeyPage.path, PasskeyPage.scriptPath, PasskeyPage.stylePath])
  func `the page and its parts may load nothing from elsewhere`(path: String) async throws {
    try await server.application().test { client in
      let reply = try await client.executeRequest(uri: path, method: .GET, headers: [:], body: nil)
      #expect(reply.status == .ok)
      let policy = try #require(reply.headers.first(name: "Content-Security-Policy"))
      #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe") && !policy.contains("http"))
      #expect(reply.headers.first(name: "X-Content-Type-Options") == "nosniff")
      let text = String(buffer: reply.body)
      #expect(!text.contains("http://") && !text.contains("https://") && !text.contains("innerHTML"))
    }
  }

  @Test(arguments: [
    (nil, nil, "en"), (nil, "ko-KR,ko;q=0.9,en;q=0.5", "ko"), ("lang=en", "ko", "en"), ("lang=ko", nil, "ko"),
    ("lang=xx", "fr,ko", "ko"), ("lang=<script>", nil, "en"),
  ])
  func `the page is in the language of the link, or else in that of the browser`(
    query: String?, accepted: String?, language: String
  ) async throws {
    try await server.application().test { client in
      var headers = HTTPHeaders()
      if let accepted { headers.add(name: "Accept-Language", value: accepted) }
      let uri = PasskeyPage.path + (query.map { "?\($0)" } ?? "")
      let reply = try await client.executeRequest(uri: uri, method: .GET, headers: headers, body: nil)
      let text = String(buffer: reply.body)
      #expect(text.contains("<html lang=\"\(language)\">") && !text.contains("<script>"))
    }
  }

  @Test(arguments: PageLanguage.allCases)
  func `the page has a notice for each reason that a script can be told`(language: PageLanguage) async throws {
    try await server.application().test { client in
      let uri = "\(PasskeyPage.path)?lang=\(language.rawValue)"
      let text = String(
        buffer: try await client.executeRequest(uri: uri, method: .GET, headers: [:], body: nil).body)
      for reason in ServiceRefusal.allCases { #expect(text.contains("data-notice=\"\(reason.rawValue)\"")) }
      for notice in ["waiting", "registered", "tried", "no-passkeys", "cancelled", "unreachable", "too-often"] {
        #expect(text.contains("data-notice=\"\(notice)\" hidden>"))
        #expect(PasskeyScript.registration.contains("\"\(notice)\""))
      }
    }
  }
}
