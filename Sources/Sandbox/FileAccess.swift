/// What may be done beneath a folder, in Landlock's bits.
public struct FileAccess: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt64

  /// These bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private static let execute = FileAccess(rawValue: 1 << 0)
  private static let writeFile = FileAccess(rawValue: 1 << 1)
  private static let readFile = FileAccess(rawValue: 1 << 2)
  private static let readFolder = FileAccess(rawValue: 1 << 3)
  private static let removeFile = FileAccess(rawValue: 1 << 5)
  private static let makeFolder = FileAccess(rawValue: 1 << 7)
  private static let makeFile = FileAccess(rawValue: 1 << 8)
  private static let truncate = FileAccess(rawValue: 1 << 14)

  /// Reading files and listing folders.
  public static let reading: FileAccess = [.readFile, .readFolder]
  /// Reading, writing, making, renaming and removing plain files, and making folders; no symbolic links, no devices.
  public static let keeping: FileAccess = [
    .readFile, .readFolder, .writeFile, .truncate, .makeFile, .makeFolder, .removeFile,
  ]
  /// What can be said of a path that is a file.
  static let ofFiles: FileAccess = [.execute, .writeFile, .readFile, .truncate]

  /// Every right that a version of Landlock knows.
  ///
  /// It forbids each of them, unless a rule allows it.
  ///
  /// - Parameter version: 1 has 13 rights, 2 added links and renames between folders, 3 truncation, 5 device commands.
  static func known(in version: CInt) -> FileAccess {
    let count: UInt64 =
      switch version {
      case ...1: 13
      case 2: 14
      case 3, 4: 15
      default: 16
      }
    return FileAccess(rawValue: (1 << count) - 1)
  }
}
