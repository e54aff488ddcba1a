import FidoResults
import Testing
import UAFMessages
import WebAuthn

@testable import UAFClient

/// The dialect `privacyidea` with tokens of type `webauthn`, whose addresses and members differ from those of passkeys.
@Suite struct PrivacyIDEATokenTests {
  private typealias Step = DialectScene.Step
  private static let settings = DialectScene.settings(.privacyIDEA, tokenType: .webauthn)
  private static let origin = HeaderField(.origin, "linux://login.example.com")

  // MARK: Logging in

  /// The entry of one key in `multi_challenge`.
  private static func entry(
    _ ids: [String], challenge: String = DialectScene.challenge, rpID: String = "login.example.com",
    type: String = "webauthn"
  ) -> String {
    let keys = ids.map { #"{"type":"public-key","id":"\#($0)","transports":["internal"]}"# }.joined(separator: ",")
    return #"{"type":"\#(type)","serial":"WAN1","attributes":{"webAuthnSignRequest":{"challenge":"\#(challenge)","#
      + #""rpId":"\#(rpID)","timeout":60000,"userVerification":"required","allowCredentials":[\#(keys)]},"#
      + #""hideResponseInput":true}}"#
  }

  private static func question(
    _ entries: [String], result: String = #""value":false,"authentication":"CHALLENGE""#
  ) -> Step {
    Step(
      path: "/validate/check",
      body: #"{"result":{"status":true,\#(result)},"detail":{"message":"no","transaction_id":"017","#
        + #""multi_challenge":[\#(entries.joined(separator: ","))]}}"#)
  }

  private static func verdict(_ body: String) -> Step { Step(path: "/validate/check", body: body) }

  private static let accepted = verdict(
    #"{"result":{"status":true,"value":true,"authentication":"ACCEPT"},"detail":{"username":"mina"}}"#)

  private var own: String { get throws { Base64URL.encode(try Scene.keyID().bytes) } }

  private func login(_ first: Step, _ last: Step? = nil) throws -> [TransportRequest] {
    try DialectScene.login(Self.settings, [first] + (last.map { [$0] } ?? []))
  }

  @Test func `asks with the name and an empty PIN, and signs the challenge as it is`() throws {
    let requests = try login(Self.question([Self.entry([own])]), Self.accepted)
    #expect(requests[0].body == Array(#"{"user":"mina","pass":""}"#.utf8) && requests[0].headers.isEmpty)
    let answer = try DialectScene.sent(requests[1])
    #expect(answer["user"] == .string("mina") && answer["pass"] == .string(""))
    #expect(answer["transaction_id"] == .string("017"))
    #expect(requests[1].headers == [Self.origin])
    let clientData = try DialectScene.clientData(answer["clientdata"])
    #expect(clientData.challenge == [UInt8](repeating: 3, count: 32))
    #expect(clientData.origin == "linux://login.example.com")
    #expect(answer["credentialid"] == .string(try own))
    #expect(answer["authenticatordata"] != nil && answer["signaturedata"] != nil)
    #expect(answer["credential_id"] == nil && answer["clientDataJSON"] == nil && answer["type"] == nil)
  }

  @Test func `the key of this machine answers wherever it is among the keys and tokens of the account`() throws {
    let entries = try [
      #"{"type":"hotp","serial":"O1","attributes":null}"#, Self.entry(["AAAA"]), Self.entry(["BBBB", own]),
      Self.entry(["CCCC"], challenge: "other", rpID: "other.example", type: "passkey"),
    ]
    let requests = try login(Self.question(entries), Self.accepted)
    #expect(try DialectScene.sent(requests[1])["credentialid"] == .string(own))
  }

  @Test func `refuses an account without a key of this machine`() throws {
    _ = refusal(.noSuitableAuthenticator, byServer: false) { _ = try login(Self.question([Self.entry(["AAAA"])])) }
  }

  @Test(arguments: [
    [entry(["AAAA"]), entry(["BBBB"], challenge: "AAAAAAAAAAAAAAAAAAAAAA")],
    [entry(["AAAA"]), entry(["BBBB"], rpID: "example.com")], [entry(["AAAA"], type: "passkey")], [entry([])],
    [entry(["AAAA"]), entry([])], [], [#"{"type":"webauthn"}"#], [#"{"type":"webauthn","attributes":{}}"#], ["1"],
    [#"{"type":"webauthn","attributes":{"webAuthnSignRequest":{"challenge":"AAAAAAAAAAAAAAAAAAAAAA"}}}"#],
  ])
  func `refuses a challenge without keys, and keys whose challenge or relying party differs`(_ entries: [String]) {
    _ = refusal(.jsonParser, byServer: true) { _ = try login(Self.question(entries)) }
  }

  @Test func `refuses keys without a transaction, and a list that is none`() {
    for body in [
      #""multi_challenge":[\#(Self.entry(["AAAA"]))]"#, #""transaction_id":"1""#,
      #""transaction_id":"1","multi_challenge":{}"#,
    ] {
      let first = Self.verdict(
        #"{"result":{"status":true,"value":false,"authentication":"CHALLENGE"},"detail":{\#(body)}}"#)
      _ = refusal(.jsonParser, byServer: true) { _ = try login(first) }
    }
  }

  @Test func `a list of more keys than a login reads is refused`() throws {
    let many = (0..<1025).map { Base64URL.encode([UInt8($0 & 255), UInt8($0 >> 8)]) }
    let entries = many.map { Self.entry([$0]) }
    _ = refusal(.jsonParser, byServer: true) { _ = try login(Self.question(entries + [Self.entry([own])])) }
  }

  @Test(arguments: [
    #""value":true,"authentication":"ACCEPT""#, #""value":true,"authentication":"CHALLENGE""#, #""value":true"#,
  ])
  func `a server that accepts before a key has signed logs nobody in`(_ result: String) throws {
    _ = refusal(.jsonParser, byServer: true) {
      _ = try login(Self.question([Self.entry([own])], result: result))
    }
  }

  @Test(arguments: [
    #""value":false"#, #""value":false,"authentication":"PUSH""#, #""value":false,"authentication":true"#,
    #""value":"false","authentication":"CHALLENGE""#, #""authentication":"CHALLENGE""#,
  ])
  func `refuses a question's reply that is neither a challenge nor a refusal`(_ result: String) throws {
    _ = refusal(.jsonParser, byServer: true) {
      _ = try login(Self.question([Self.entry([own])], result: result))
    }
  }

  @Test func `a server that refuses the account is told as a refusal, with its words`() throws {
    let rejected = Self.question([Self.entry([try own])], result: #""value":false,"authentication":"REJECT""#)
    let refused = refusal(.unknown, byServer: true) { _ = try login(rejected) }
    #expect(refused?.serverText == "no" && refused?.saysPlainNo == true)
    let unknown = Step(
      path: "/validate/check", status: 400, body: #"{"result":{"status":false,"error":{"code":904,"message":"no"}}}"#)
    #expect(refusal(.unknown, byServer: true) { _ = try login(unknown) }?.serverText == "no")
  }

  @Test(arguments: [
    (#"{"result":{"status":true,"value":false,"authentication":"REJECT"},"detail":{"message":"no"}}"#, true),
    (#"{"result":{"status":true,"value":true,"authentication":"CHALLENGE"}}"#, false),
    (#"{"result":{"status":true,"value":true}}"#, false),
    (
      #"{"result":{"status":true,"value":true,"authentication":"ACCEPT"},"detail":{"username":"eve"}}"#, false
    ), ("{}", false),
  ])
  func `a reply to the answer that does not accept this account is no login`(_ body: String, _ isPlain: Bool) throws {
    let first = Self.question([Self.entry([try own])])
    let refused = refusal(isPlain ? .unknown : .jsonParser, byServer: true) {
      _ = try login(first, Self.verdict(body))
    }
    #expect(refused?.saysPlainNo == isPlain)
  }

  // MARK: Registering

  private static let signedIn = Step(path: "/auth", body: #"{"result":{"status":true,"value":{"token":"t0k"}}}"#)

  private static func offer(_ replaced: String = "", with text: String = "", more: String = "") -> Step {
    let body =
      #"{"result":{"status":true,"value":true},"detail":{"serial":"P9","webAuthnRegisterRequest":{"#
      + #""transaction_id":"7","message":"touch","nonce":"\#(DialectScene.challenge)","serialNumber":"WAN7","#
      + #""relyingParty":{"id":"login.example.com","name":"Example"},"name":"mina","displayName":"<mina@people>","#
      + #""pubKeyCredAlgorithms":[{"type":"public-key","alg":-7}]\#(more)}}}"#
    return Step(path: "/token/init", body: replaced.isEmpty ? body : body.replacing(replaced, with: text))
  }

  private static let registered = Step(
    path: "/token/init",
    body: #"{"result":{"status":true,"value":true},"detail":{"webAuthnRegisterResponse":{"subject":"x"}}}"#)

  private func register(_ offer: Step, _ last: Step? = nil) throws -> [TransportRequest] {
    try DialectScene.register(Self.settings, [Self.signedIn, offer] + (last.map { [$0] } ?? []))
  }

  @Test func `registers with the nonce as it is, and the serial number as the account's handle`() throws {
    let requests = try register(Self.offer(), Self.registered)
    #expect(requests.map(\.authorization) == [nil, "t0k", "t0k"])
    #expect(requests[1].body == Array(#"{"type":"webauthn"}"#.utf8) && requests[2].headers == [Self.origin])
    let answer = try DialectScene.sent(requests[2])
    #expect(answer["type"] == .string("webauthn") && answer["serial"] == .string("WAN7"))
    #expect(answer["transaction_id"] == .string("7"))
    #expect(try DialectScene.clientData(answer["clientdata"]).challenge == [UInt8](repeating: 3, count: 32))
    #expect(answer["credential_id"] == nil && answer["attestationObject"] == nil)
    guard case .string(let text)? = answer["regdata"] else { return #expect(Bool(false)) }
    let attestation = try AttestationObject(parsing: Base64URL.decode(text, maximumCount: 4096))
    #expect(attestation.statement == .none)
  }

  @Test func `attests itself at a server that wants an attestation`() throws {
    let requests = try register(Self.offer(more: #","attestation":"direct","timeout":60000"#), Self.registered)
    guard case .string(let text)? = try DialectScene.sent(requests[2])["regdata"] else { return #expect(Bool(false)) }
    let attestation = try AttestationObject(parsing: Base64URL.decode(text, maximumCount: 4096))
    guard case .packed = attestation.statement else { return #expect(Bool(false)) }
  }

  @Test(arguments: [
    ("\"nonce\"", "\"challenge\""), ("\"serialNumber\"", "\"number\""), ("\"transaction_id\":\"7\"", "\"t\":7"),
    ("\"relyingParty\"", "\"rp\""), ("\"pubKeyCredAlgorithms\"", "\"algorithms\""),
    ("webAuthnRegisterRequest", "passkey_registration"), ("\"serialNumber\":\"WAN7\"", "\"serialNumber\":7"),
    ("\"nonce\":\"", "\"nonce\":\"*"), ("\"name\":\"mina\"", "\"name\":7"),
  ])
  func `refuses options without the members of such a token`(_ member: String, _ instead: String) {
    #expect(throws: Refusal.self) { _ = try register(Self.offer(member, with: instead)) }
  }

  @Test(arguments: [
    ("login.example.com", "other.example.net", FidoResult.invalidParameter),
    (#""name":"mina","#, #""name":"eve","#, .invalidParameter),
    (#""alg":-7"#, #""alg":-257"#, .noSuitableAuthenticator),
  ])
  func `refuses options for another relying party or account, or another algorithm`(
    _ member: String, _ instead: String, _ result: FidoResult
  ) {
    let refused = #expect(throws: Refusal.self) { _ = try register(Self.offer(member, with: instead)) }
    #expect(refused?.result == result)
  }

  @Test(arguments: [
    #"{"result":{"status":true,"value":false}}"#, #"{"result":{"status":true,"value":true},"detail":{}}"#,
    #"{"result":{"status":true,"value":true}}"#,
    #"{"result":{"status":true,"value":true},"detail":{"webAuthnRegisterRequest":{"serialNumber":"WAN8"}}}"#,
    #"{"result":{"status":true,"value":true},"detail":{"webAuthnRegisterResponse":"x"}}"#,
    #"{"result":{"status":false,"error":{"code":404,"message":"no"}}}"#,
  ])
  func `a reply that does not say that this token is registered registers none`(_ body: String) {
    let last = Step(path: "/token/init", body: body)
    _ = #expect(throws: Refusal.self) { _ = try register(Self.offer(), last) }
  }
}
