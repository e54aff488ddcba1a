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

  /// Its status and headers as NIO's encoder takes them.
  ///
  /// It has the length of the body also where none is sent: after a request of HEAD it belongs there (RFC 9110, section 8.6),
  /// and the encoder takes it out where the status allows no body.
  ///
  /// - Parameters:
  ///   - isLast: whether the connection is closed for another reason than the response's own.
  ///   - date: the time, as HTTP has it.
  package func head(isLast: Bool, date: String) -> HTTPResponseHead {
    var all = HTTPHeaders()
    all.reserveCapacity(headers.count + 4)
    for (name, value) in headers { all.add(name: name.description, value: value) }
    all.add(name: "Content-Length", value: String(body.count))
    all.add(name: "Date", value: date)
    if isLast || self.isLast { all.add(name: "Connection", value: "close") }
    all.add(name: "Server", value: "uaf-server")
    return HTTPResponseHead(version: .http1_1, status: status, headers: all)
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
