/// A type of the specification with one JSON form.
public protocol JSONRepresentable {
  /// Reads the value; `path` names it in errors.
  ///
  /// Unknown members are ignored; mandatory ones, types, lengths and ranges are enforced.
  init(json: JSONValue, path: String) throws(MessageError)

  /// The value as JSON.
  var json: JSONValue { get }
}

extension JSONRepresentable {
  /// Reads the value from the bytes of a JSON text.
  ///
  /// - Throws: ``MessageError``.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(MessageError) {
    let json = try JSONValue(message: bytes, limits: limits)
    do throws(MessageError) { try self.init(json: json, path: "") } catch { throw error.inside("\(Self.self)") }
  }

  /// Reads the value from a JSON text that was itself a string of another message.
  ///
  /// - Throws: ``MessageError``.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(MessageError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The JSON text.
  public var jsonText: String { json.text }

  /// The JSON text in UTF-8.
  public var jsonBytes: [UInt8] { json.bytes }
}

extension JSONValue {
  init(message bytes: [UInt8], limits: JSONLimits) throws(MessageError) {
    do {
      try self.init(parsing: bytes, limits: limits)
    } catch {
      throw MessageError.json(error)
    }
  }
}
