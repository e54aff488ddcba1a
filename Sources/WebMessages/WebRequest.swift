import NIOCore
import NIOHTTP1

/// One request of HTTP, with its whole body.
package struct WebRequest: Sendable {
  package let method: HTTPMethod
  /// Without a query.
  package let path: String
  /// What follows the first question mark, as it was sent; nil without one.
  package let query: String?
  package let fields: HTTPHeaders
  package let body: ByteBuffer
  /// The other end of the connection.
  package let peer: SocketAddress?

  package init(method: HTTPMethod, target: String, fields: HTTPHeaders, body: ByteBuffer, peer: SocketAddress?) {
    self.method = method
    path = Self.path(of: target)
    query = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[target.utf8.index(after: $0)...]) }
    self.fields = fields
    self.body = body
    self.peer = peer
  }

  /// The value of a header; several lines of one name count as one, with commas between them (RFC 9110, section 5.3).
  package func field(_ name: String) -> String? { fields.value(of: name) }

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
