import NIOCore
import NIOHTTP1

/// One request of HTTP, with its whole body.
struct WebRequest: Sendable {
  let method: HTTPMethod
  /// Without a query.
  let path: String
  let fields: HTTPHeaders
  let body: ByteBuffer
  /// The other end of the connection.
  let peer: SocketAddress?

  init(method: HTTPMethod, target: String, fields: HTTPHeaders, body: ByteBuffer, peer: SocketAddress?) {
    self.method = method
    path = Self.path(of: target)
    self.fields = fields
    self.body = body
    self.peer = peer
  }

  /// The value of a header; several lines of one name count as one, with commas between them (RFC 9110, section 5.3).
  func field(_ name: String) -> String? { fields.value(of: name) }

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
