/// A UAF protocol version (`Version`; UAF protocol 1.1, section 3.1.1).
public struct UPV: JSONRepresentable, Comparable, Hashable, CustomStringConvertible, Sendable {
  /// The major version.
  public let major: UInt16

  /// The minor version.
  public let minor: UInt16

  /// Makes a version of its numbers.
  public init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// UAF 1.0.
  public static let uaf10 = UPV(major: 1, minor: 0)

  /// UAF 1.1.
  public static let uaf11 = UPV(major: 1, minor: 1)

  /// What this project speaks.
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

  /// As people write it, such as `1.1`.
  public var description: String { "\(major).\(minor)" }

  /// Older before newer, major first.
  public static func < (left: UPV, right: UPV) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
