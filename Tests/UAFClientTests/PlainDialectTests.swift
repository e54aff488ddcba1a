import FidoResults
import Testing
import UAFMessages

@testable import UAFClient

/// The plain dialect: a server has an address for each operation, and exchanges UAF messages without an envelope.
@Suite struct PlainDialectTests {
  private static let get = "https://fido.example/auth/alice"
  private static let respond = "https://fido.example/auth"
  private static let mark = SuccessMark(member: "status", value: "SUCCESS")

  private func settings(
    success: SuccessMark? = nil, names: [String: String] = [:], requestURL: String = "https://fido.example/auth/{user}",
    contentType: String? = nil
  ) -> ClientSettings {
    var settings = ClientSettings(
      endpoint: ServerEndpoint(requestURL: requestURL, responseURL: Self.respond), facetID: Scene.facetID,
      dialect: .plain(PlainRules(contextNames: names, success: success)),
      device: DeviceContext(id: "d1", name: "my host"))
    settings.contentType = contentType
    return settings
  }

  private func json(_ text: String, status: Int = 200) -> TransportResponse {
    Scene.raw(Array(text.utf8), status: status, contentType: "application/json")
  }

  private func request(_ get: String = Self.get) throws -> ScriptedTransport.Exchange {
    .answering(get, json(UAFRequest.text(of: [try Scene.authentication(appID: nil)])))
  }

  private func run(_ transport: inout ScriptedTransport, _ settings: ClientSettings) throws -> Acceptance {
    var flow = AuthenticationFlow(settings: settings, username: "alice")
    try flow.start(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    return try accepted(flow.send(over: &transport))
  }

  // MARK: What is sent

  @Test func `in the plain dialect requests use GET, and the response is posted without an envelope`() throws {
    var transport = ScriptedTransport(try request(), .answering(Self.respond, json(#"{"statusCode":1200}"#)))
    _ = try run(&transport, settings())
    #expect(transport.isUsedUp)
    let (question, answer) = (transport.requests[0], transport.requests[1])
    #expect(question.method == .get && question.body.isEmpty && question.accept == "application/json")
    #expect(answer.method == .post && answer.contentType == "application/json")
    guard case .authentication(let response) = try UAFResponse(parsing: answer.body) else {
      Issue.record("not an authentication response")
      return
    }
    #expect(response.assertions.count == 1)
  }

  @Test func `sends a plain server only the data that root named, under the names that the server uses`() throws {
    let names = ["username": "userId", "deviceName": "dev"]
    let template = "https://fido.example/auth?op=a&app={appID}"
    let get = "https://fido.example/auth?op=a&app=linux%3Apam-module%3Apam_uaf&userId=alice&dev=my%20host"
    let respond = Self.respond + "?userId=alice&dev=my%20host"
    var transport = ScriptedTransport(try request(get), .answering(respond, json(#"{"statusCode":1200}"#)))
    _ = try run(&transport, settings(names: names, requestURL: template))
    #expect(transport.isUsedUp)
  }

  @Test func `root chooses the media type of the messages in both dialects`() throws {
    let type = "application/fido+uaf; charset=utf-8"
    var plain = ScriptedTransport(try request(), .answering(Self.respond, json(#"{"statusCode":1200}"#)))
    _ = try run(&plain, settings(contentType: type))
    #expect(plain.requests[1].contentType == type && plain.requests[1].accept == "application/fido+uaf")
    var settings = settings(contentType: "application/json")
    settings.dialect = .fido
    let answer = ReturnUAFRequest(
      statusCode: .ok, uafRequest: UAFRequest.text(of: [try Scene.authentication(appID: nil)]))
    var conformance = ScriptedTransport(
      .answering(Self.get, json(answer.jsonText)), .answering(Self.respond, json(#"{"statusCode":1200}"#)))
    _ = try run(&conformance, settings)
    #expect(conformance.requests.allSatisfy { $0.contentType == "application/json" && $0.accept == "application/json" })
    let context = try #require(try GetUAFRequest(parsing: conformance.requests[0].body).context)
    #expect(try RequestContext(parsing: context).username == "alice")
  }

  // MARK: What is a success

  @Test(arguments: [
    #"{"statusCode":1200}"#, #"{"statusCode":1200,"description":"fine"}"#, #"{"status":"SUCCESS"}"#,
    #"[{"AAID":"5541#0001","status":"SUCCESS"}]"#, #"[{"status":"SUCCESS"},{"status":"SUCCESS"}]"#,
    #"[{"statusCode":1200}]"#, #"[{"statusCode":1200},{"status":"SUCCESS"}]"#, #"[{"statusCode":1200,"status":"x"}]"#,
  ]) func `in the plain dialect a success is status 1200 or the success value that root configured`(_ body: String)
    throws
  {
    var transport = ScriptedTransport(try request(), .answering(Self.respond, json(body)))
    _ = try run(&transport, settings(success: Self.mark))
    #expect(transport.isUsedUp)
  }

  @Test(arguments: [
    "{}", "[]", "null", "true", "1200", "\"SUCCESS\"",
    #"{"status":["SUCCESS"]}"#, #"{"result":{"status":"SUCCESS"}}"#, #"[[{"status":"SUCCESS"}]]"#,
    #"[{"status":"SUCCESS"},"x"]"#, #"[{"status":"SUCCESS"},{}]"#, #"[{"statusCode":1200},{}]"#,
    "", "SUCCESS", #"{"status":"SUCCESS"}x"#, #"{"status":"FAILED","status":"SUCCESS"}"#,
  ]) func `in the plain dialect any other answer is not a success, whatever the HTTP status`(_ body: String) throws {
    for status in [200, 201, 204, 500] {
      var transport = ScriptedTransport(try request(), .answering(Self.respond, json(body, status: status)))
      let result: FidoResult = status == 500 ? .forbidden : .jsonParser
      _ = refusal(result, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
    }
  }

  @Test(arguments: [
    (#"{"status":"success"}"#, "success"), (#"{"status":"SUCCESS "}"#, "SUCCESS"), (#"{"status":true}"#, "true"),
    (#"{"status":7}"#, "7"), (#"[{"status":"SUCCESS"},{"status":"FAILED"}]"#, "FAILED"),
    (#"[{"statusCode":1200},{"status":"FAILED\u001b"}]"#, "FAILED"),
  ]) func `a value other than root's success value is a refusal, and the log contains that value`(
    _ body: String, _ value: String
  ) throws {
    for http in [200, 400, 500] {
      var transport = ScriptedTransport(try request(), .answering(Self.respond, json(body, status: http)))
      let no = refusal(.unknown, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
      #expect(no?.saysPlainNo == true && no?.detail.contains(" is '\(value)") == true, "\(no?.detail ?? "")")
      #expect(no?.detail.contains("\u{1b}") == false)
    }
  }

  @Test func `a value other than root's success value also refuses the request for a challenge`() throws {
    var transport = ScriptedTransport(.answering(Self.get, json(#"{"status":"NO_SUCH_USER"}"#)))
    let no = refusal(.unknown, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
    #expect(no?.detail.contains("'NO_SUCH_USER'") == true)
  }

  @Test(arguments: Scene.statuses) func `a status in a list has the same effect as a status outside a list`(
    _ status: UInt32, _ result: FidoResult
  ) throws {
    for body in [#"[{"statusCode":\#(status)}]"#, #"[{"status":"SUCCESS"},{"statusCode":\#(status)}]"#] {
      var transport = ScriptedTransport(try request(), .answering(Self.respond, json(body)))
      let no = refusal(result, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
      #expect(no?.serverStatus == status)
    }
  }

  @Test func `a success value without a status counts as a success only if root configured that value`() throws {
    var transport = ScriptedTransport(try request(), .answering(Self.respond, json(#"{"status":"SUCCESS"}"#)))
    _ = refusal(.jsonParser, byServer: true) { _ = try run(&transport, settings()) }
  }

  @Test(arguments: [#"{"statusCode":1200}"#, #"{"status":"SUCCESS"}"#])
  func `a success counts only with HTTP status 200 and as JSON`(_ body: String) throws {
    for response in [
      json(body, status: 201), json(body, status: 302), Scene.raw(Array(body.utf8), contentType: "text/html"),
    ] {
      var transport = ScriptedTransport(try request(), .answering(Self.respond, response))
      _ = refusal(.jsonParser, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
    }
  }

  @Test(arguments: Scene.statuses)
  func `a refusing status refuses, even next to the success value that root configured`(
    _ status: UInt32, _ result: FidoResult
  ) throws {
    for http in [200, 403] {
      let body = #"{"status":"SUCCESS","statusCode":\#(status)}"#
      var transport = ScriptedTransport(try request(), .answering(Self.respond, json(body, status: http)))
      let expected: FidoResult = http == 403 && status == 1202 ? .jsonParser : result
      _ = refusal(expected, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
    }
  }

  @Test(arguments: [#""1200""#, "1200.0", "null", "12e2", "[1200]"])
  func `a status of the wrong JSON type does not count as a success`(_ status: String) throws {
    let body = #"{"status":"SUCCESS","statusCode":\#(status)}"#
    var transport = ScriptedTransport(try request(), .answering(Self.respond, json(body)))
    _ = refusal(.invalidParameter, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
  }

  @Test func `a reply of success that was cut anywhere does not count as a success`() throws {
    let body = #"[{"status":"SUCCESS"}]"#
    for count in 0..<body.utf8.count {
      var transport = ScriptedTransport(
        try request(), .answering(Self.respond, json(String(decoding: body.utf8.prefix(count), as: UTF8.self))))
      _ = refusal(.jsonParser, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
    }
  }

  // MARK: What is not a request

  @Test(arguments: [
    (#"{"statusCode":1404}"#, 200, FidoResult.serverNoRegistration),
    (#"{"statusCode":1404}"#, 404, .serverNoRegistration),
    (#"{"statusCode":1200}"#, 200, .jsonParser), ("{}", 200, .jsonParser), ("[]", 200, .invalidParameter),
    (#"[{"statusCode":1404}]"#, 200, .serverNoRegistration),
    ("[{}]", 200, .invalidParameter), ("", 200, .jsonParser), ("[]", 404, .jsonParser), ("", 503, .forbidden),
  ]) func `refuses any answer that is not a request in the plain dialect`(
    _ body: String, _ status: Int, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(.answering(Self.get, json(body, status: status)))
    _ = refusal(result, byServer: true) { _ = try run(&transport, settings(success: Self.mark)) }
  }

  @Test func `refuses a request for a different operation in the plain dialect`() throws {
    let text = UAFRequest.text(of: [Scene.deregistration([.everything])])
    var transport = ScriptedTransport(.answering(Self.get, json(text)))
    _ = refusal(.invalidParameter, byServer: true) { _ = try run(&transport, settings()) }
  }

  @Test func `the server can send a further request in the plain dialect too`() throws {
    let more = ServerResponse(
      statusCode: .ok, newUAFRequest: UAFRequest.text(of: [try Scene.authentication(appID: nil)]))
    var transport = ScriptedTransport(try request(), .answering(Self.respond, json(more.jsonText)))
    var flow = AuthenticationFlow(settings: settings(), username: "alice")
    try flow.start(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    #expect(try flow.send(over: &transport) == .furtherRequest)
  }
}
