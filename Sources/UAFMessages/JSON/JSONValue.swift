/// A JSON value as UAF uses it.
///
/// Numbers that are not whole, or do not fit 64 bits, keep their text and are never computed with: no UAF member is one.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case otherNumber(String)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Reads one JSON text: UTF-8 without byte order mark, no duplicate names, nothing after the value.
  ///
  /// - Throws: ``JSONError`` with the byte offset.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    var reader = JSONReader(bytes: bytes, limits: limits)
    self = try reader.document()
  }

  /// The value as compact text in UTF-8; the same value always gives the same bytes.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }

  /// The value as compact text.
  public var text: String {
    String(decoding: bytes, as: UTF8.self)
  }
}
