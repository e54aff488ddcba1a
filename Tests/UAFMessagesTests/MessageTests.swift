import Testing

@testable import UAFMessages

@Suite struct MessageTests {
  private static let challenge = Base64URL.encode([UInt8](repeating: 1, count: 32))
  private static let keyID = Base64URL.encode([UInt8](repeating: 2, count: 32))

  private func header(_ op: String, minor: Int = 0, more: String = "") -> String {
    #"{"upv":{"major":1,"minor":\#(minor)},"op":"\#(op)","appID":"https://a.example/facets"\#(more)}"#
  }

  private func authentication(
    header: String? = nil, challenge: String = "\"\(challenge)\"",
    policy: String = #"{"accepted":[[{"aaid":["EBA0#0001"]}]]}"#,
    more: String = ""
  ) -> String {
    #"{"header":\#(header ?? self.header("Auth")),"challenge":\#(challenge),"policy":\#(policy)\#(more)}"#
  }

  private func request(_ versions: String...) throws(MessageError) -> UAFRequest {
    try UAFRequest(parsing: "[" + versions.joined(separator: ",") + "]")
  }

  @Test func `of the versions in a request, reads the highest that both sides know`() throws {
    let message = try request(
      authentication(), authentication(header: header("Auth", minor: 1)),
      #"{"header":{"upv":{"major":7,"minor":0},"op":["of","the","future"]}}"#)
    #expect(message.header.upv == .uaf11)
  }

  @Test func `writes a request in several versions in ascending order`() throws {
    guard case .authentication(let parsed) = try request(authentication(header: header("Auth", minor: 1))) else {
      throw MessageError.wrongOperation
    }
    let versions = UPV.supported.map { upv in
      UAFRequest.authentication(
        AuthenticationRequest(
          header: OperationHeader(
            upv: upv, op: .authentication, appID: parsed.header.appID, serverData: "data", exts: parsed.header.exts),
          challenge: parsed.challenge, policy: parsed.policy))
    }
    for case .authentication(let request) in versions {
      #expect(UAFRequest.text(of: request, in: UPV.supported) == UAFRequest.text(of: versions))
    }
  }

  @Test func `refuses a request that has a version twice, has only unknown versions, or is not an array`() {
    #expect(throws: MessageError.repeatedVersion) { try request(authentication(), authentication()) }
    #expect(throws: MessageError.unsupportedVersion) { try request(authentication(header: header("Auth", minor: 2))) }
    #expect(throws: MessageError.wrongType("message")) { try UAFRequest(parsing: authentication()) }
    #expect(throws: MessageError.outOfRange("message")) { try UAFRequest(parsing: "[]") }
  }

  @Test func `ignores unknown members of a request, even if they are null`() throws {
    #expect(try request(authentication(more: #","future":null,"more":{"x":1.5}"#)) == request(authentication()))
  }

  @Test(arguments: ["header", "challenge", "policy"])
  func `refuses an authentication request with any one member missing`(
    _ member: String
  ) throws {
    let object = try #require(try JSONValue(parsing: Array(authentication().utf8)).members)
    let rest = JSONObject(uniqueMembers: object.members.filter { $0.name != member })
    #expect(throws: MessageError.self) { try UAFRequest(parsing: JSONValue.array([.object(rest)]).text) }
    var null = object
    null.set(member, .null)
    #expect(throws: MessageError.self) { try UAFRequest(parsing: JSONValue.array([.object(null)]).text) }
    null.set(member, .integer(1))
    #expect(throws: MessageError.self) { try UAFRequest(parsing: JSONValue.array([.object(null)]).text) }
  }

  @Test(arguments: [
    #","serverData":5"#, #","exts":{}"#, #","exts":[null]"#, #","exts":[{}]"#,
    #","exts":[{"id":"","data":"","fail_if_unknown":false}]"#,
    #","exts":[{"id":"a","data":"","fail_if_unknown":0}]"#,
    #","exts":[{"id":"a","fail_if_unknown":false}]"#,
    #","exts":[{"id":"a","data":"","fail_if_unknown":true}]"#,
  ]) func `refuses a request header with a malformed or unsupported member`(_ more: String) {
    #expect(throws: MessageError.self) { try request(authentication(header: header("Auth", more: more))) }
  }

  @Test func `keeps an unknown extension that the reader may ignore`() throws {
    let exts = #","exts":[{"id":"com.example","data":"","fail_if_unknown":false}]"#
    let message = try request(authentication(header: header("Auth", more: exts)))
    #expect(message.header.exts == [Extension(id: "com.example", data: "", failIfUnknown: false)])
  }

  @Test func `an appID has at most 512 characters, however many bytes they take`() throws {
    func message(_ count: Int) -> String {
      let appID = String(repeating: "é", count: count)
      return authentication(header: #"{"upv":{"major":1,"minor":0},"op":"Auth","appID":"\#(appID)"}"#)
    }
    #expect(throws: Never.self) { try request(message(512)) }
    #expect(throws: Never.self) { try request(message(0)) }
    #expect(throws: MessageError.outOfRange("message[0].header.appID")) { try request(message(513)) }
  }

  @Test(arguments: [
    (7, false), (8, true), (64, true), (65, false),
  ]) func `a challenge has 8 to 64 bytes`(_ count: Int, _ isValid: Bool) {
    let text = "\"\(Base64URL.encode([UInt8](repeating: 9, count: count)))\""
    #expect(((try? request(authentication(challenge: text))) != nil) == isValid)
  }

  @Test func `refuses a challenge with base64 padding`() {
    #expect(throws: MessageError.self) { try request(authentication(challenge: "\"AAAAAAAAAAA=\"")) }
  }

  @Test(arguments: [
    #"{"major":65536,"minor":0}"#, #"{"major":-1,"minor":0}"#, #"{"major":1.0,"minor":0}"#, #"{"major":"1","minor":0}"#,
    #"{"major":1}"#, "null", "[]",
  ]) func `refuses a malformed version of UAF`(_ upv: String) {
    #expect(throws: MessageError.self) { try request(authentication(header: #"{"upv":\#(upv),"op":"Auth"}"#)) }
  }

  @Test(arguments: ["auth", "AUTH", "", "Register"]) func `refuses an unknown UAF operation`(_ op: String) {
    #expect(throws: MessageError.self) { try request(authentication(header: header(op))) }
  }

  @Test func `accepts an empty list of accepted authenticators only in a UAF 1 dot 0 authentication`() throws {
    #expect(throws: Never.self) { try request(authentication(policy: #"{"accepted":[]}"#)) }
    #expect(throws: MessageError.self) {
      try request(authentication(header: header("Auth", minor: 1), policy: #"{"accepted":[]}"#))
    }
    let registration =
      #"{"header":\#(header("Reg")),"challenge":"\#(Self.challenge)","username":"u","policy":{"accepted":[]}}"#
    #expect(throws: MessageError.self) { try request(registration) }
  }

  @Test(arguments: [
    #"{}"#, #"{"accepted":null}"#, #"{"accepted":[[]]}"#, #"{"accepted":[{}]}"#,
    #"{"accepted":[[{}]],"disallowed":[[]]}"#,
    #"{"accepted":[[{"aaid":[]}]]}"#, #"{"accepted":[[{"aaid":"EBA0#0001"}]]}"#,
    #"{"accepted":[[{"aaid":["EBA0-0001"]}]]}"#,
    #"{"accepted":[[{"aaid":["EBA0#001"]}]]}"#, #"{"accepted":[[{"aaid":["EBG0#0001"]}]]}"#,
    #"{"accepted":[[{"vendorID":["EBA"]}]]}"#, #"{"accepted":[[{"keyIDs":["AAAA"]}]]}"#,
    #"{"accepted":[[{"userVerification":4294967296}]]}"#, #"{"accepted":[[{"keyProtection":65536}]]}"#,
    #"{"accepted":[[{"userVerification":-1}]]}"#, #"{"accepted":[[{"attestationTypes":["15880"]}]]}"#,
    #"{"accepted":[[{"exts":[{"id":"x","data":"","fail_if_unknown":true}]}]]}"#,
  ]) func `refuses a malformed policy`(_ policy: String) {
    #expect(throws: MessageError.self) { try request(authentication(policy: policy)) }
  }

  @Test(arguments: [
    #"{}"#, #"[{"contentType":"text/html","content":"QQ"}]"#, #"[{"contentType":"text/plain","content":""}]"#,
    #"[{"contentType":"text/plain","content":"gA"}]"#, #"[{"contentType":"image/png","content":"QQ"}]"#,
    #"[{"contentType":"text/plain"}]"#, "[null]",
  ]) func `refuses a malformed transaction`(_ transaction: String) {
    #expect(throws: MessageError.self) { try request(authentication(more: ",\"transaction\":\(transaction)")) }
  }

  @Test func `a transaction text has at most 200 bytes, which are ASCII and letters`() throws {
    #expect(throws: Never.self) { try Transaction(text: String(repeating: "a", count: 200)) }
    #expect(throws: MessageError.self) { try Transaction(text: String(repeating: "a", count: 201)) }
    #expect(throws: MessageError.self) { try Transaction(text: "") }
    #expect(throws: MessageError.self) { try Transaction(text: "–") }
    #expect(throws: MessageError.self) { try Transaction(text: String(repeating: "é", count: 101)) }
    let transaction = try Transaction(text: "Transfer 1000$ to Bob?")
    #expect(transaction.json.text == #"{"contentType":"text/plain","content":"VHJhbnNmZXIgMTAwMCQgdG8gQm9iPw"}"#)
  }

  @Test func `a transaction with a picture keeps the parameters for drawing it`() throws {
    let png = """
      {"contentType":"image/png","content":"iVBORw","tcDisplayPNGCharacteristics":{"width":320,"height":480,\
      "bitDepth":16,"colorType":2,"compression":0,"filter":0,"interlace":0,"plte":[{"r":1,"g":2,"b":65535}]}}
      """
    let transaction = try Transaction(parsing: png)
    #expect(transaction.jsonText == png)
    let characteristics = try #require(transaction.tcDisplayPNGCharacteristics)
    #expect(characteristics.width == 320 && characteristics.bitDepth == 16 && characteristics.plte.count == 1)
    #expect(throws: MessageError.self) { try DisplayPNGCharacteristics(parsing: #"{"width":1,"height":1}"#) }
    #expect(throws: MessageError.self) {
      try Transaction(parsing: png.replacing(#""bitDepth":16"#, with: #""bitDepth":256"#))
    }
  }

  @Test func `a user name has 1 to 128 characters`() {
    func registration(_ username: String) throws(MessageError) -> UAFRequest {
      try request(
        #"{"header":\#(header("Reg")),"challenge":"\#(Self.challenge)","username":"\#(username)","policy":{"accepted":[[{}]]}}"#
      )
    }
    #expect(throws: Never.self) { try registration(String(repeating: "u", count: 128)) }
    #expect(throws: MessageError.self) { try registration(String(repeating: "u", count: 129)) }
    #expect(throws: MessageError.self) { try registration("") }
  }

  // MARK: Deregistration

  private func deregistration(_ authenticators: String, minor: Int) throws(MessageError) -> DeregistrationRequest {
    let message = try request(#"{"header":\#(header("Dereg", minor: minor)),"authenticators":\#(authenticators)}"#)
    guard case .deregistration(let request) = message else { throw .wrongOperation }
    return request
  }

  @Test func `reads a request to deregister single keys, all keys of an authenticator or all keys`() throws {
    let aaid = try AAID("EBA0#0001")
    let key = DeregisterAuthenticator.key(aaid, try KeyID(bytes: [UInt8](repeating: 2, count: 32)))
    let list = #"[{"aaid":"EBA0#0001","keyID":"\#(Self.keyID)"},{"aaid":"EBA0#0001","keyID":""}]"#
    let some = try deregistration(list, minor: 1)
    #expect(some.authenticators == [key, .allKeys(aaid)])
    #expect(try deregistration(#"[{"aaid":"","keyID":""}]"#, minor: 1).authenticators == [.everything])
    #expect(try UAFRequest(parsing: UAFRequest.text(of: [.deregistration(some)])) == .deregistration(some))
  }

  @Test(arguments: [
    ("[]", 1), (#"[{"aaid":"EBA0#0001"}]"#, 1), (#"[{"keyID":""}]"#, 1), (#"[{"aaid":"","keyID":"\#(keyID)"}]"#, 1),
    (#"[{"aaid":"","keyID":""},{"aaid":"EBA0#0001","keyID":""}]"#, 1), (#"[{"aaid":"","keyID":""}]"#, 0),
    (#"[{"aaid":"EBA0#0001","keyID":""}]"#, 0), (#"[{"aaid":"EBA0#0001","keyID":null}]"#, 1),
  ]) func `refuses a deregistration request with a malformed list of keys`(_ authenticators: String, _ minor: Int) {
    #expect(throws: MessageError.self) { try deregistration(authenticators, minor: minor) }
  }

  // MARK: Responses

  @Test func `refuses a response to a deregistration, which has none`() {
    let message = "[{\"header\":\(header("Dereg"))}]"
    #expect(throws: MessageError.wrongOperation) { try UAFResponse(parsing: message) }
  }

  @Test(arguments: [
    #""fcParams":"AAAA""#, #""fcParams":"AAAA","assertions":[]"#,
    #""assertions":[{"assertionScheme":"UAFV1TLV","assertion":"AA"}]"#,
    #""fcParams":"AAAA","assertions":[{"assertionScheme":"UAFV1TLV","assertion":""}]"#,
    #""fcParams":"AAAA","assertions":[{"assertionScheme":"","assertion":"AA"}]"#,
    #""fcParams":"","assertions":[{"assertionScheme":"UAFV1TLV","assertion":"AA"}]"#,
  ]) func `refuses a response with wrong or missing members`(_ members: String) {
    #expect(throws: MessageError.self) { try UAFResponse(parsing: "[{\"header\":\(header("Auth")),\(members)}]") }
  }

  @Test func `an assertion has at most 4096 bytes`() {
    func response(_ count: Int) -> String {
      let assertion = Base64URL.encode([UInt8](repeating: 0, count: count))
      let list = #"[{"assertionScheme":"UAFV1TLV","assertion":"\#(assertion)"}]"#
      return "[{\"header\":\(header("Auth")),\"fcParams\":\"AAAA\",\"assertions\":\(list)}]"
    }
    #expect(throws: Never.self) { try UAFResponse(parsing: response(4096)) }
    #expect(throws: MessageError.self) { try UAFResponse(parsing: response(4097)) }
  }

  @Test
  func `final challenge parameters contain the challenge as it was sent, and leave out an unknown channel binding`()
    throws
  {
    let challenge = try ServerChallenge(bytes: [UInt8](repeating: 1, count: 32))
    let parameters = FinalChallengeParams(
      appID: "https://a.example", challenge: challenge, facetID: "linux:pam", channelBinding: ChannelBinding())
    #expect(
      parameters.jsonText
        == #"{"appID":"https://a.example","challenge":"\#(challenge.text)","facetID":"linux:pam","channelBinding":{}}"#)
    #expect(try FinalChallengeParams(encoded: parameters.encoded) == parameters)
    #expect(throws: MessageError.self) { try FinalChallengeParams(encoded: parameters.encoded + "=") }
    #expect(throws: MessageError.missing("fcParams.channelBinding")) {
      try FinalChallengeParams(
        encoded: Base64URL.encode(Array(#"{"appID":"a","challenge":"AQEBAQEBAQEBAQ","facetID":"f"}"#.utf8)))
    }
  }

  @Test func `AAIDs are compared without case, and kept as they were sent`() throws {
    let lower = try AAID("eba0#000a")
    let upper = try AAID("EBA0#000A")
    #expect(lower == upper && Set([lower, upper]).count == 1)
    #expect(lower.text == "eba0#000a" && lower.vendorID == "eba0")
  }

  @Test func `an error about a message names the member, and never its value`() {
    let secret = "hunter2"
    let error = #expect(throws: MessageError.self) { try request(authentication(header: header(secret))) }
    #expect(error?.description.contains(secret) == false)
    #expect(error?.description.contains("header.op") == true)
  }
}
