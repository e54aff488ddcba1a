import Logging
import NIOCore
import NIOHTTP1
import Testing
import UAFCrypto
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

import struct UAFMessages.RequestContext

/// Registration, authentication and deregistration over HTTP.
@Suite(.onEachStore) struct UAFRoutesTests {
  let server: TestServer

  init() throws {
    server = try TestServer()
  }

  func post(_ client: TestClient, _ path: String, _ body: [UInt8], type: String? = "application/fido+uaf")
    async throws -> TestResponse
  {
    var headers = HTTPHeaders()
    if let type { headers.add(name: "Content-Type", value: type) }
    return try await client.executeRequest(
      uri: path, method: .POST, headers: headers, body: ByteBuffer(bytes: body))
  }

  func get(_ client: TestClient, _ operation: UAFOperation, _ context: RequestContext) async throws
    -> ReturnUAFRequest
  {
    let body = GetUAFRequest(op: operation, context: context.jsonText)
    return try ReturnUAFRequest(parsing: [UInt8](buffer: await post(client, "/uaf/get", body.jsonBytes).body))
  }

  func respond(_ client: TestClient, _ response: UAFResponse) async throws -> ServerResponse {
    let body = SendUAFResponse(
      uafResponse: response.text, context: try server.holder.allowance(of: response)?.jsonText)
    return try ServerResponse(parsing: [UInt8](buffer: await post(client, "/uaf/respond", body.jsonBytes).body))
  }

  @Test(arguments: [("laptop", false), ("tower", true), (nil, false)])
  func `the server logs that it ignores a machine's later name`(name: String?, isNoted: Bool) async throws {
    _ = try await server.registered("alice", deviceID: "machine", deviceName: "laptop")
    let authenticator = try FakeAuthenticator()
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    context.deviceID = "machine"
    context.deviceName = name
    let log = RecordedLog()
    try await server.application(log: log).test { [context] client in
      let request = try authenticator.registrationRequest(from: try await get(client, .registration, context))
      #expect(try await respond(client, authenticator.register(request)).statusCode == .ok)
    }
    #expect(log.lines.contains { $0.hasPrefix("accepted ") })
    #expect(log.lines.filter { $0.hasPrefix("device-name-") } == (isNoted ? ["device-name-ignored user=alice"] : []))
  }

  @Test func `over HTTP an account registers, authenticates and deregisters`() async throws {
    let authenticator = try FakeAuthenticator()
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    context.deviceID = "machine"
    try await server.application.test { [context] client in
      let request = try authenticator.registrationRequest(from: try await get(client, .registration, context))
      let registered = try await respond(client, authenticator.register(request))
      #expect(registered.statusCode == .ok)
      #expect(registered.additionalTokens.map(\.type) == ["JWT"])

      var context = RequestContext(username: "alice")
      context.deviceID = "machine"
      context.deregisterAll = true
      let answer = try await get(client, .authentication, context)
      #expect(answer.op == .authentication)
      #expect(answer.lifetimeMilliseconds == 120_000)
      let authenticated = try await respond(
        client, authenticator.authenticate(TestServer.authenticationRequest(in: answer), counter: 1))
      #expect(authenticated.statusCode == .ok)

      context.proof = authenticated.additionalTokens.first?.value
      #expect(try await get(client, .deregistration, context).statusCode == .ok)
      let replayed = try await respond(client, authenticator.register(request))
      #expect(replayed.statusCode == .requestInvalid)
    }
  }

  @Test(arguments: [
    "application/fido+uaf", "application/json", "application/fido+uaf; charset=utf-8", "Application/JSON;charset=UTF-8",
    "application/json ; x=y",
  ])
  func `the server accepts the transport specification's content types, and answers in the same type`(type: String)
    async throws
  {
    try await server.application.test { client in
      let body = GetUAFRequest(op: .authentication, context: RequestContext(username: "alice").jsonText)
      let response = try await post(client, "/uaf/get", body.jsonBytes, type: type)
      #expect(response.status == .ok)
      let isJSON = type.lowercased().contains("json")
      #expect(
        response.headers.value(of: "Content-Type")
          == (isJSON ? "application/json; charset=utf-8" : "application/fido+uaf; charset=utf-8"))
    }
  }

  @Test(arguments: [nil, "text/plain", "application/jsonp", "application/x-www-form-urlencoded", "", ";"])
  func `the server refuses a UAF request with a wrong or missing content type`(type: String?) async throws {
    try await server.application.test { client in
      for path in ["/uaf/get", "/uaf/respond"] {
        let response = try await post(client, path, Array("{}".utf8), type: type)
        #expect(response.status == .unsupportedMediaType)
      }
    }
  }

  @Test func `the server refuses a body of more than 64 KiB, and accepts a body of exactly 64 KiB`() async throws {
    try await server.application.test { client in
      let spaces = [UInt8](repeating: 0x20, count: RequestBody.maximum - 2)
      for path in ["/uaf/get", "/uaf/respond"] {
        let exact = try await post(client, path, Array("{}".utf8) + spaces)
        #expect(exact.status == .ok)
        let more = try await post(client, path, Array("{}".utf8) + spaces + [0x20])
        #expect(more.status == .payloadTooLarge)
      }
    }
  }

  @Test(arguments: ["65537", "99999999999", "9223372036854775807", "99999999999999999999", "-1", "x"])
  func `the server refuses an announced length that is too long or invalid, before any of the body arrives`(
    _ length: String
  ) async throws {
    for path in ["/uaf/get", "/uaf/respond"] {
      // No part of the body arrives: the announced length alone decides.
      let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": length]
      let answer = try await server.application.executeRequest(
        uri: path, method: .POST, headers: headers, body: ByteBuffer())
      #expect(answer.status == .payloadTooLarge)
      #expect(answer.isLast, "what was announced is not read to its end")
    }
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{\"op\":\"Auth\"}", "{\"op\":\"Auth\",\"context\":\"{}\"}",
    "{\"op\":\"Auth\",\"context\":{\"username\":\"a\"}}",
    "{\"op\":\"Login\",\"context\":\"{\\\"username\\\":\\\"a\\\"}\"}",
    "\u{FEFF}{}", String(repeating: "[", count: 1000),
  ])
  func `the server answers a body that is not a UAF request with status 1400`(body: String) async throws {
    try await server.application.test { client in
      let get = try await post(client, "/uaf/get", Array(body.utf8))
      #expect(get.status == .ok)
      #expect(try ReturnUAFRequest(parsing: [UInt8](buffer: get.body)).statusCode == .badRequest)
      let respond = try await post(client, "/uaf/respond", Array(body.utf8))
      #expect(respond.status == .ok)
      #expect(try ServerResponse(parsing: [UInt8](buffer: respond.body)).statusCode == .badRequest)
    }
  }

  @Test func `the server refuses a request that a browser sends from a different origin`() async throws {
    try await server.application.test { client in
      let response = try await client.executeRequest(
        uri: "/uaf/get", method: .POST,
        headers: ["Content-Type": "application/json", "Access-Control-Request-Method": "POST"],
        body: ByteBuffer(string: "{}")
      )
      #expect(response.status == .forbidden)
      #expect(response.headers.value(of: "Access-Control-Allow-Origin") == nil)
    }
  }

  @Test(arguments: [
    ("/livez?x=/uaf/facets", HTTPResponseStatus.ok), ("https://localhost/livez", .ok), ("http://a:80/livez?", .ok),
    ("//livez", .notFound), ("/livez/", .notFound), ("https://localhost", .notFound), ("*", .notFound), ("", .notFound),
    ("/x://y/livez", .notFound), ("livez", .notFound),
  ])
  func `a route is found by the path of the request's target, and in no other way`(
    target: String, status: HTTPResponseStatus
  ) async throws {
    let answer = try await server.application.executeRequest(uri: target, method: .GET, headers: [:], body: nil)
    #expect(answer.status == status)
  }

  @Test func `several lines of one header are read as one value, and two content types are refused`() async throws {
    let two: HTTPHeaders = ["Content-Type": "application/json", "content-type": "text/plain"]
    #expect(two.value(of: "CONTENT-TYPE") == "application/json, text/plain")
    let answer = try await server.application.executeRequest(
      uri: "/uaf/get", method: .POST, headers: two, body: ByteBuffer(string: "{}"))
    #expect(answer.status == .unsupportedMediaType)
  }

  @Test func `the trusted facet list contains the PAM module's facet for both UAF versions`() async throws {
    try await server.application.test { client in
      let response = try await client.executeRequest(uri: "/uaf/facets", method: .GET, headers: [:], body: nil)
      #expect(response.headers.value(of: "Content-Type") == "application/fido.trusted-apps+json")
      let list = try TrustedFacetList(parsing: [UInt8](buffer: response.body))
      #expect(list.trusts("linux:pam-module:pam_uaf", version: .uaf10))
      #expect(list.trusts("linux:pam-module:pam_uaf", version: .uaf11))
      #expect(!list.trusts("linux:pam-module:pam_uaf2", version: .uaf11))
    }
  }

  @Test func `the server returns the public key that verifies verdicts, and nothing of the private key`() async throws {
    try await server.application.test { client in
      let response = try await client.executeRequest(uri: "/uaf/verdict-key", method: .GET, headers: [:], body: nil)
      #expect(response.status == .ok)
      let pem = [UInt8](buffer: response.body)
      #expect(try P256.publicKey(pem: pem) == server.environment.keys.verdictKey.publicKey)
      #expect(!String(decoding: pem, as: UTF8.self).contains("PRIVATE"))
      let post = try await client.executeRequest(uri: "/uaf/verdict-key", method: .POST, headers: [:], body: nil)
      #expect(post.status == .notFound)
    }
  }

  @Test func `the server answers a request for an unknown name with as many bytes as for a registered name`()
    async throws
  {
    let known = try await server.registered("alice01")
    #expect(known.keyID.bytes.count == 32)
    try await server.application.test { client in
      let answers = try await ["alice01", "nobody1"].asyncMap { name in
        let body = GetUAFRequest(op: .authentication, context: RequestContext(username: name).jsonText)
        return try await post(client, "/uaf/get", body.jsonBytes)
      }
      #expect(answers[0].body.readableBytes == answers[1].body.readableBytes)
      #expect(answers[0].status == answers[1].status)
      #expect(answers[0].headers == answers[1].headers)
    }
  }
}

extension Array {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
