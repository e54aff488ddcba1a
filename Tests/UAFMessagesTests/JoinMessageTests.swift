import Testing

@testable import UAFMessages

@Suite struct JoinMessageTests {
  private let nonce = Array(UInt8(1)...16)
  private let secret = [UInt8](repeating: 7, count: 32)

  private func request(_ json: String) throws -> JoinRequest { try JoinRequest(parsing: json) }

  @Test func `a request to join is read back as it was written`() throws {
    let request = JoinRequest(
      code: "c", nonce: nonce, deviceID: "d-1", deviceName: "desk-17", deviceModel: "x86_64", deviceOS: "Linux 6.1")
    #expect(try JoinRequest(parsing: request.jsonBytes) == request)
    let bare = JoinRequest(code: "c", nonce: nonce, deviceID: "d-1", deviceName: "")
    #expect(try JoinRequest(parsing: bare.jsonBytes).deviceName == nil)
  }

  @Test(arguments: [
    #"{"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":"d"}"#,
    #"{"v":2,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":"d"}"#,
    #"{"v":1,"code":"","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":"d"}"#,
    #"{"v":1,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAA","deviceID":"d"}"#,
    #"{"v":1,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAAAA","deviceID":"d"}"#,
    #"{"v":1,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
    #"{"v":1,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":""}"#,
    #"{"v":1,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":"d\u0000"}"#,
    #"{"v":1,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":"d","deviceName":"\u0000"}"#,
    #"{"v":1,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":"d","deviceOS":null}"#,
  ]) func `refuses a malformed request to join`(_ json: String) {
    #expect(throws: MessageError.self) { try request(json) }
  }

  @Test func `the server's reply to a request to join is read back as it was written`() throws {
    let machine = try MachineSecret(machineID: nonce, secret: secret)
    let answer = JoinAnswer(statusCode: .ok, machineSecret: machine, token: "a.b.c")
    #expect(try JoinAnswer(parsing: answer.jsonBytes) == answer)
    #expect(try JoinAnswer(parsing: #"{"statusCode":1401,"token":null}"#) == JoinAnswer(statusCode: .unauthorized))
  }

  @Test(arguments: [
    #"{}"#, #"{"statusCode":"1200"}"#, #"{"statusCode":1200,"machineSecret":{"id":"AA","secret":"AA"}}"#,
  ])
  func `refuses a malformed reply to a request to join`(_ json: String) {
    #expect(throws: MessageError.self) { try JoinAnswer(parsing: json) }
  }

  @Test
  func `the server's statement about a join is read back, and refused if a claim is missing or in a wrong format`()
    throws
  {
    let statement = JoinStatement(
      deviceID: "d-1", nonce: nonce, group: .standard, secretHash: secret, issuedAt: 1_800_000_000)
    let json = try #require(JSONObject(of: statement.json))
    #expect(JoinStatement(claims: json) == statement)
    for name in ["sub", "nonce", "group", "machine", "iat"] {
      var claims = json
      claims.set(name, .string("/"))
      if name != "sub" { #expect(JoinStatement(claims: claims) == nil, "\(name)") }
    }
  }
}

extension JSONObject {
  fileprivate init?(of value: JSONValue) {
    guard case .object(let object) = value else { return nil }
    self = object
  }
}
