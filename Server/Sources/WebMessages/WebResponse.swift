import NIOCore
import NIOHTTP1

/// The server's response to one request of HTTP.
package struct WebResponse: Sendable {
  package let status: HTTPResponseStatus
  /// Headers that only this response has.
  package var headers: [(name: StaticString, value: String)] = []
  package var body: [UInt8] = []
  /// Whether the connection is closed after it.
  package var isLast = false

  package init(
    status: HTTPResponseStatus, headers: [(name: StaticString, value: String)] = [], body: [UInt8] = [],
    isLast: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.isLast = isLast
  }

  /// The response as it is sent, in one piece: one write for TLS, and none of it passes through a handler for HTTP.
  ///
  /// A request of HEAD gets the length and not the body, and a response that has no body by its status says no length (RFC 9110,
  /// sections 8.6 and 9.3.2): otherwise a client would take one for the beginning of the next response.
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
    for (name, value) in headers {
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

/// One request of HTTP, with its whole body.
package struct WebRequest: Sendable {
  package let method: HTTPMethod
  /// Without a query.
  package let path: String
  /// What follows the first question mark, as it was sent; nil without one.
  package let query: String?
  package let headers: HTTPHeaders
  package let body: ByteBuffer
  /// The other end of the connection.
  package let peer: SocketAddress?

  package init(method: HTTPMethod, target: String, headers: HTTPHeaders, body: ByteBuffer, peer: SocketAddress?) {
    self.method = method
    path = Self.path(of: target)
    query = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[target.utf8.index(after: $0)...]) }
    self.headers = headers
    self.body = body
    self.peer = peer
  }

  /// The value of a header; several lines of one name count as one, with commas between them (RFC 9110, section 5.3).
  package func header(_ name: String) -> String? { headers.value(of: name) }

  /// The path of a request's target, which may be a whole URL (RFC 9112, section 3.2.2).
  private static func path(of target: String) -> String {
    let whole = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    guard whole.first != UInt8(ascii: "/"), let colon = whole.firstIndex(of: UInt8(ascii: ":")),
      whole[colon...].starts(with: "://".utf8)
    else { return String(Substring(whole)) }
    let place = whole[colon...].dropFirst(3)
    return place.firstIndex(of: UInt8(ascii: "/")).map { String(Substring(place[$0...])) } ?? "/"
  }
}

/// A request that is refused by a status of HTTP, because UAF has none for it.
package struct WebRefusal: Error {
  package let response: WebResponse

  package init(_ response: WebResponse) { self.response = response }
}

extension HTTPHeaders {
  /// The value of a header; several lines of one name count as one, with commas between them (RFC 9110, section 5.3).
  ///
  /// - Returns: nil if there is none.
  package func value(of name: String) -> String? {
    guard contains(name: name) else { return nil }
    return self[name].joined(separator: ", ")
  }
}
