import NIOCore
import NIOHTTP1

/// The response that a ``TestClient`` received.
struct TestResponse {
  let status: HTTPResponseStatus
  let headers: HTTPHeaders
  let body: ByteBuffer
  /// Whether the server closes the connection after this response.
  let isLast: Bool
}
