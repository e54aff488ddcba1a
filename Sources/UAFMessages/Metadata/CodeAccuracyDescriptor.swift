/// How well a passcode withstands guessing (metadata statement 1.1, CodeAccuracyDescriptor).
public struct CodeAccuracyDescriptor: JSONRepresentable, Equatable, Sendable {
  /// The number of characters to choose from; 10 for digits.
  public let base: UInt16
  /// Fewest characters.
  public let minLength: UInt16
  /// Wrong entries until the authenticator blocks permanently; 0 or absent: it never does.
  public let maxRetries: UInt16?
  /// Seconds the authenticator waits after wrong entries.
  public let blockSlowdown: UInt16?

  /// Makes a descriptor.
  public init(base: UInt16, minLength: UInt16, maxRetries: UInt16?, blockSlowdown: UInt16?) {
    self.base = base
    self.minLength = minLength
    self.maxRetries = maxRetries
    self.blockSlowdown = blockSlowdown
  }

  /// Reads `{"base", "minLength", "maxRetries", "blockSlowdown"}`.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    base = try reader.integer("base", as: UInt16.self)
    minLength = try reader.integer("minLength", as: UInt16.self)
    maxRetries = try reader.optionalInteger("maxRetries", as: UInt16.self)
    blockSlowdown = try reader.optionalInteger("blockSlowdown", as: UInt16.self)
  }

  /// The descriptor as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["base": .integer(Int64(base)), "minLength": .integer(Int64(minLength))]
    object.set("maxRetries", maxRetries.map { .integer(Int64($0)) })
    object.set("blockSlowdown", blockSlowdown.map { .integer(Int64($0)) })
    return .object(object)
  }
}
