/// A generic extension (UAF protocol 1.1, section 3.1.10).
public struct Extension: JSONRepresentable, Equatable, Sendable {
  /// Identifies the extension, 1 to 32 characters.
  public let id: String

  /// Its data, possibly empty; binary data as base64url.
  public let data: String

  /// Whether a receiver that does not know the extension must refuse the message.
  public let failIfUnknown: Bool

  /// Makes an extension.
  public init(id: String, data: String, failIfUnknown: Bool) {
    self.id = id
    self.data = data
    self.failIfUnknown = failIfUnknown
  }

  /// Reads one extension when no extension is known: one that must not be ignored is refused.
  public init(json: JSONValue, path: String) throws(MessageError) {
    try self.init(json: json, path: path, known: [])
  }

  /// Reads one extension and refuses an unknown one that must not be ignored.
  init(json: JSONValue, path: String, known: [String]) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    id = try reader.string("id", characters: 1...32)
    data = try reader.string("data", characters: 0...Int.max)
    failIfUnknown = try reader.bool("fail_if_unknown")
    guard !failIfUnknown || known.contains(where: id.isIdentical(to:)) else { throw .unknownExtension(path) }
  }

  /// The extension as JSON.
  public var json: JSONValue {
    .object(["id": .string(id), "data": .string(data), "fail_if_unknown": .bool(failIfUnknown)])
  }
}

/// A UAF protocol version (`Version`; UAF protocol 1.1, section 3.1.1).
public struct UPV: JSONRepresentable, Comparable, Hashable, CustomStringConvertible, Sendable {
  /// The major version.
  public let major: UInt16

  /// The minor version.
  public let minor: UInt16

  /// Makes a version from its numbers.
  public init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// UAF 1.0.
  public static let uaf10 = UPV(major: 1, minor: 0)

  /// UAF 1.1.
  public static let uaf11 = UPV(major: 1, minor: 1)

  /// The versions that this project supports.
  public static let supported: [UPV] = [.uaf10, .uaf11]

  /// Reads `{"major": 1, "minor": 0}`.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    major = try reader.integer("major", as: UInt16.self)
    minor = try reader.integer("minor", as: UInt16.self)
  }

  /// The version as JSON.
  public var json: JSONValue {
    .object(["major": .integer(Int64(major)), "minor": .integer(Int64(minor))])
  }

  /// The version as people write it, such as `1.1`.
  public var description: String { "\(major).\(minor)" }

  /// Older before newer, major first.
  public static func < (left: UPV, right: UPV) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

/// A UAF operation (UAF protocol 1.1, section 3.1.2).
public enum UAFOperation: String, JSONRepresentable, CaseIterable, Sendable {
  case registration = "Reg"
  case authentication = "Auth"
  case deregistration = "Dereg"

  /// Reads `"Reg"`, `"Auth"` or `"Dereg"`.
  public init(json: JSONValue, path: String) throws(MessageError) {
    guard let operation = UAFOperation(rawValue: try json.nonEmptyString(path: path)) else { throw .outOfRange(path) }
    self = operation
  }

  /// The operation as JSON.
  public var json: JSONValue { .string(rawValue) }
}
