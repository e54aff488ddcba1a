import Testing

@testable import UAFMessages

@Suite struct TransportBodyTests {
  @Test func `writes the request for a UAF message with its context as a string`() throws {
    var context = RequestContext(username: "alice")
    context.deviceName = "host"
    context.authCode = ""
    let body = GetUAFRequest(op: .registration, context: context.jsonText)
    #expect(body.jsonText == #"{"op":"Reg","context":"{\"username\":\"alice\",\"deviceName\":\"host\"}"}"#)
    #expect(try GetUAFRequest(parsing: body.jsonText) == body)
    #expect(try GetUAFRequest(parsing: "{}") == GetUAFRequest(op: nil))
  }

  @Test(arguments: [
    "[]", #"{"op":"Login"}"#, #"{"op":1}"#, #"{"context":{"username":"a"}}"#, #"{"context":null}"#, #"{"context":""}"#,
  ]) func `refuses a malformed request for a UAF message`(_ text: String) {
    #expect(throws: MessageError.self) { try GetUAFRequest(parsing: text) }
  }

  @Test func `reads the reply in which a server returns a UAF request`() throws {
    let body = try ReturnUAFRequest(
      parsing: #"{"statusCode":1200,"uafRequest":"[]","op":"Auth","lifetimeMillis":60000}"#)
    #expect(
      body
        == ReturnUAFRequest(statusCode: .ok, uafRequest: "[]", op: .authentication, lifetimeMilliseconds: 60_000))
    #expect(try ReturnUAFRequest(parsing: body.jsonText) == body)
  }

  @Test(arguments: [
    "{}", #"{"statusCode":"1200"}"#, #"{"statusCode":-1}"#, #"{"statusCode":1200.0}"#, #"{"statusCode":4294967296}"#,
    #"{"statusCode":1200,"uafRequest":[]}"#, #"{"statusCode":1200,"lifetimeMillis":-5}"#,
  ]) func `refuses a malformed reply with a UAF request`(_ text: String) {
    #expect(throws: MessageError.self) { try ReturnUAFRequest(parsing: text) }
  }

  @Test func `reads a reply with an unknown status, and does not refuse it`() throws {
    #expect(try ServerResponse(parsing: #"{"statusCode":15007,"description":""}"#).statusCode.rawValue == 15_007)
  }

  @Test func `reads a verdict that contains tokens`() throws {
    let body = ServerResponse(
      statusCode: .ok, description: "welcome", additionalTokens: [Token(type: Token.jwt, value: "a.b.c")],
      newUAFRequest: "[]")
    #expect(try ServerResponse(parsing: body.jsonText) == body)
    #expect(throws: MessageError.self) { try ServerResponse(parsing: #"{"description":"ok"}"#) }
    #expect(throws: MessageError.self) {
      try ServerResponse(parsing: #"{"statusCode":1200,"additionalTokens":[{"type":"JWT"}]}"#)
    }
  }

  @Test func `refuses a posted message without a response`() throws {
    let body = SendUAFResponse(uafResponse: "[]", context: #"{"username":"a"}"#)
    #expect(try SendUAFResponse(parsing: body.jsonText) == body)
    #expect(throws: MessageError.missing("SendUAFResponse.uafResponse")) { try SendUAFResponse(parsing: "{}") }
  }

  @Test func `the context of a request is read back as it was written`() throws {
    var context = RequestContext(username: "alice")
    context.deviceID = "d"
    context.deviceModel = "m"
    context.deviceOS = "o"
    context.service = PAMServiceName("gdm-password")
    context.transaction = "t"
    context.proof = "p"
    context.proofFor = .deregistration
    context.deregisterAAID = try AAID("EBA0#0001")
    context.deregisterAll = true
    context.codeProof = [UInt8](repeating: 1, count: 32)
    context.codeMAC = [UInt8](repeating: 2, count: 32)
    context.machineMAC = [UInt8](repeating: 3, count: 32)
    context.machineID = [UInt8](repeating: 4, count: 16)
    context.authorization = "[]"
    #expect(try RequestContext(parsing: context.jsonText) == context)
  }

  @Test(arguments: [
    #""""#, #""two words""#, #""su\u0000do""#, #""ＳＵ""#, "\"\(String(repeating: "s", count: 65))\"", "null", "7", "[]",
  ])
  func `leaves out a service that is not the name of a PAM service, and reads the rest of the context`(
    _ service: String
  ) throws {
    let context = try RequestContext(parsing: #"{"username":"alice","service":\#(service)}"#)
    #expect(context == RequestContext(username: "alice"))
  }

  @Test func `ignores members of a context that it does not know`() throws {
    // So an older server reads the context of a newer client.
    let context = try RequestContext(parsing: #"{"username":"alice","later":{"a":[1]}}"#)
    #expect(context == RequestContext(username: "alice"))
  }

  @Test(arguments: [
    "{}", #"{"username":""}"#, #"{"username":null}"#, #"{"username":"a","proof":5}"#,
    #"{"username":"a","deviceName":""}"#,
    #"{"username":"a","username":"b"}"#, #"{"username":"a","proofFor":"login"}"#,
    #"{"username":"a","deregisterAAID":"x"}"#, #"{"username":"a","codeProof":"AAAA"}"#,
    #"{"username":"a","codeMAC":""}"#, #"{"username":"a","machineMAC":"\#(String(repeating: "A", count: 44))"}"#,
    #"{"username":"a","machineID":"\#(String(repeating: "A", count: 43))"}"#, #"{"username":"a","authorization":""}"#,
    #"{"username":"a","authorization":"\#(String(repeating: "A", count: 16_385))"}"#,
  ]) func `refuses a malformed context of a request`(_ text: String) {
    #expect(throws: MessageError.self) { try RequestContext(parsing: text) }
  }

  @Test func `refuses a context whose user name has 129 characters`() {
    let name = String(repeating: "u", count: 129)
    #expect(throws: MessageError.outOfRange("RequestContext.username")) {
      try RequestContext(parsing: "{\"username\":\"\(name)\"}")
    }
  }
}
