import NIOCore
import NIOHTTP1

/// What a ``TestClient`` received.
struct TestResponse {
  let status: HTTPResponseStatus
  let headers: HTTPHeaders
  let body: ByteBuffer
  /// Whether the server closes the connection.
  let isLast: Bool
}
