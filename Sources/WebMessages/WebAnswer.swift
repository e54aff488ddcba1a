import NIOCore
import NIOHTTP1

/// The server's answer to one request of HTTP.
package struct WebAnswer: Sendable {
  package let status: HTTPResponseStatus
  /// Headers that only this answer has.
  package var fields: [(name: StaticString, value: String)] = []
  package var body: [UInt8] = []
  /// Whether the connection is closed after it.
  package var isLast = false

  package init(
    status: HTTPResponseStatus, fields: [(name: StaticString, value: String)] = [], body: [UInt8] = [],
    isLast: Bool = false
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.isLast = isLast
  }

  /// The answer as it is sent, in one piece: one write for TLS, and none of it passes through a handler for HTTP.
  ///
  /// A request of HEAD gets the length and not the body, and an answer that has no body by its status says no length (RFC 9110,
  /// sections 8.6 and 9.3.2): otherwise a client would take one for the beginning of the next answer.
  ///
  /// - Parameters:
  ///   - isForHead: whether the request was one of HEAD.
  ///   - isLast: whether the connection is closed for another reason.
  ///   - date: the time, as HTTP has it.
  package func bytes(isForHead: Bool = false, isLast: Bool, date: String, allocator: ByteBufferAllocator) -> ByteBuffer
  {
    var bytes = allocator.buffer(capacity: 320 + body.count)
    bytes.writeStaticString("HTTP/1.1 ")
    bytes.writeString(String(status.code))
    bytes.writeStaticString(" ")
    bytes.writeString(status.reasonPhrase)
    for (name, value) in fields {
      bytes.writeStaticString("\r\n")
      bytes.writeStaticString(name)
      bytes.writeStaticString(": ")
      bytes.writeString(value)
    }
    let mayHaveBody = status != .noContent && status != .notModified
    if mayHaveBody {
      bytes.writeStaticString("\r\nContent-Length: ")
      bytes.writeString(String(body.count))
    }
    bytes.writeStaticString("\r\nDate: ")
    bytes.writeString(date)
    if isLast || self.isLast { bytes.writeStaticString("\r\nConnection: close") }
    bytes.writeStaticString("\r\nServer: uaf-server\r\n\r\n")
    if mayHaveBody, !isForHead { bytes.writeBytes(body) }
    return bytes
  }
}
