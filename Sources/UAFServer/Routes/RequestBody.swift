import NIOHTTP1
import WebMessages

/// Reads what a request brings along, and refuses what is too long or of another type.
enum RequestBody {
  /// The longest body in bytes, unless a route takes a shorter one.
  static let maximum = 65_536

  /// Closes the connection, so that so much need not be read.
  private static let tooLarge = WebRefusal(WebAnswer(status: .payloadTooLarge, isLast: true))

  /// The type of a request's body.
  ///
  /// A browser's preflight from another origin is refused, as the transport asks.
  static func mediaType(of request: WebRequest) throws -> UAFMediaType {
    guard !request.fields.contains(name: "Access-Control-Request-Method") else {
      throw WebRefusal(WebAnswer(status: .forbidden))
    }
    guard let mediaType = UAFMediaType(header: request.field("Content-Type")) else {
      throw WebRefusal(WebAnswer(status: .unsupportedMediaType))
    }
    return mediaType
  }

  /// Refuses a body that is announced as too large, before any of it has come.
  static func requireShort(_ request: WebRequest, limit: Int = maximum) throws {
    guard !announcesTooMuch(request.fields, limit: limit) else { throw tooLarge }
  }

  /// The bytes of a body.
  static func bytes(of request: WebRequest, limit: Int = maximum) throws -> [UInt8] {
    try requireShort(request, limit: limit)
    guard request.body.readableBytes <= limit else { throw tooLarge }
    return Array(request.body.readableBytesView)
  }

  /// Whether the announced length is more than the longest body, or no length at all.
  static func announcesTooMuch(_ fields: HTTPHeaders, limit: Int = maximum) -> Bool {
    guard let length = fields.value(of: "Content-Length") else { return false }
    return Int(length).map { !(0...limit).contains($0) } ?? true
  }
}
