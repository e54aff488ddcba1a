import NIOCore
import NIOHTTP1
import WebMessages

@testable import UAFServer

/// Sends requests to a server's routes, without a connection.
struct TestClient: Sendable {
  let routes: UAFRoutes

  /// Gives the client to a test, for as long as the test uses it.
  func test(_ body: (TestClient) async throws -> Void) async rethrows { try await body(self) }

  func executeRequest(
    uri: String, method: HTTPMethod, headers: HTTPHeaders, body: ByteBuffer?
  ) async throws -> TestResponse {
    let answer = await routes.response(
      to: WebRequest(method: method, target: uri, headers: headers, body: body ?? ByteBuffer(), peer: nil))
    return TestResponse(
      status: answer.status, headers: HTTPHeaders(answer.headers.map { ("\($0.name)", $0.value) }),
      body: ByteBuffer(bytes: answer.body), isLast: answer.isLast)
  }
}
