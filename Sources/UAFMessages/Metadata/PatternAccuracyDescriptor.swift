/// How well a pattern withstands guessing (metadata statement 1.1, PatternAccuracyDescriptor).
public struct PatternAccuracyDescriptor: JSONRepresentable, Equatable, Sendable {
  /// The number of patterns of the smallest allowed size.
  public let minComplexity: UInt32
  /// Wrong entries until the authenticator blocks permanently; 0 or absent: it never does.
  public let maxRetries: UInt16?
  /// Seconds the authenticator waits after wrong entries.
  public let blockSlowdown: UInt16?

  /// Makes a descriptor.
  public init(minComplexity: UInt32, maxRetries: UInt16?, blockSlowdown: UInt16?) {
    self.minComplexity = minComplexity
    self.maxRetries = maxRetries
    self.blockSlowdown = blockSlowdown
  }

  /// Reads `{"minComplexity", "maxRetries", "blockSlowdown"}`.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    minComplexity = try reader.integer("minComplexity", as: UInt32.self)
    maxRetries = try reader.optionalInteger("maxRetries", as: UInt16.self)
    blockSlowdown = try reader.optionalInteger("blockSlowdown", as: UInt16.self)
  }

  /// The descriptor as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["minComplexity": .integer(Int64(minComplexity))]
    object.set("maxRetries", maxRetries.map { .integer(Int64($0)) })
    object.set("blockSlowdown", blockSlowdown.map { .integer(Int64($0)) })
    return .object(object)
  }
}
