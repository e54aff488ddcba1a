/// The name of a group of workstations, which an administrator gives; our own.
///
/// 1 to 64 of `a` to `z`, digits, `.`, `_` and `-`; a letter or a digit first. So it can stand in a file's name, a URL and a log.
public struct MachineGroup: Hashable, Sendable, CustomStringConvertible {
  /// The group of machines that nobody put into another one.
  public static let standard = MachineGroup(checked: "default")

  /// The name.
  public let name: String

  private init(checked name: String) { self.name = name }

  /// Takes a name.
  ///
  /// - Returns: nil for one that is not of the form above.
  public init?(_ name: String) {
    let bytes = name.utf8
    guard (1...64).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), bytes.first.map(Self.isFirst) == true else {
      return nil
    }
    self.name = name
  }

  /// The name.
  public var description: String { name }

  private static func isFirst(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool { isFirst(byte) || [0x2D, 0x2E, 0x5F].contains(byte) }
}
