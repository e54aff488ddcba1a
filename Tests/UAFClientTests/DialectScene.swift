import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import UAFClient

/// A server with a dialect of WebAuthn, which a script plays, and a person who registers and logs in there.
enum DialectScene {
  static let base = "https://login.example.com"
  static let challenge = Base64URL.encode([UInt8](repeating: 3, count: 32))
  static let user = #"{"id":"AQID","name":"mina","displayName":"mina"}"#

  /// One answer of the server, at the address that must be asked for it.
  struct Step {
    let path: String
    var status = 200
    var body = ""
    var cookies: String?
    var type = "application/json"
    var session: String?
  }

  static func settings(
    _ interface: WebAuthnInterface, tokenType: PrivacyIDEATokenType = .passkey, origin: String? = nil
  ) -> ClientSettings {
    let path = interface == .djangoOTP ? "/webauthn" : ""
    let endpoint = ServerEndpoint(requestURL: base + path, responseURL: base + path)
    var settings = ClientSettings(endpoint: endpoint, facetID: "linux:test")
    settings.webAuthn = WebAuthnSettings(
      interface: interface, origin: origin, relyingPartyID: "login.example.com", tokenType: tokenType)
    return settings
  }

  private static func wire(_ steps: [Step]) -> ScriptedTransport {
    ScriptedTransport(
      steps.map { step in
        .answering(
          base + step.path,
          TransportResponse(
            status: step.status, contentType: step.type, body: Array(step.body.utf8), cookies: step.cookies,
            session: step.session))
      })
  }

  /// Logs in, and returns what was sent; the first refusal otherwise.
  static func login(_ settings: ClientSettings, _ steps: [Step], username: String = "mina") throws
    -> [TransportRequest]
  {
    var wire = wire(steps)
    var flow = CredentialAuthentication(
      settings: settings, rules: try #require(settings.webAuthn), username: username)
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [Scene.authenticator(appID: "login.example.com")])
    try flow.sign(with: &signer)
    _ = try accepted(flow.send(over: &wire))
    #expect(wire.isUsedUp)
    return wire.requests
  }

  /// Registers, and returns what was sent; the first refusal otherwise.
  static func register(_ settings: ClientSettings, _ steps: [Step], entry: String = "s3cret") throws
    -> [TransportRequest]
  {
    var wire = wire(steps)
    var flow = CredentialRegistration(
      settings: settings, rules: try #require(settings.webAuthn), username: "mina", entitlement: .plainCode(entry))
    var maker = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [Scene.authenticator(keys: [])])
    _ = try flow.makeKey(with: &maker)
    _ = try accepted(flow.send(over: &wire))
    #expect(wire.isUsedUp)
    return wire.requests
  }

  /// The body of a request as JSON.
  static func sent(_ request: TransportRequest?) throws -> JSONObject {
    guard case .object(let object) = try JSONValue(parsing: try #require(request).body) else { return [:] }
    return object
  }

  /// The client data in a member of a request.
  static func clientData(_ value: JSONValue?) throws -> CollectedClientData {
    guard case .string(let text)? = value else { throw DialectFault.missing("client data") }
    return try CollectedClientData(parsing: Base64URL.decode(text, maximumCount: 4096))
  }
}
