import CProcess
import Glibc

/// The paths that the process can still open once it has entered the rules (Landlock).
///
/// Descriptors that are already open stay usable, and the attributes of any file can still be read.
public struct PathRules {
  private var paths: [(path: String, access: FileAccess)] = []
  private let mayConnect: Bool

  /// Makes rules that allow nothing.
  ///
  /// - Parameter mayConnect: whether the process may make TCP connections. It can never accept any. Kernels before 6.7 do not
  ///   enforce this.
  public init(mayConnect: Bool) { self.mayConnect = mayConnect }

  /// Allows `access` to a file, or to everything beneath a folder; links are followed when the rules are entered, and a path
  /// that does not exist is ignored.
  public mutating func allow(_ access: FileAccess, _ path: String) { paths.append((path, access)) }

  /// Enters the rules permanently.
  ///
  /// The process needs no privilege for this, provided that it has set `no_new_privs`.
  ///
  /// - Returns: the system's error number, or 0.
  public func enter() -> CInt {
    let version = landlock_version()
    guard version >= 1 else { return errno }
    var rules = landlock_rules()
    rules.files = FileAccess.known(in: version).rawValue
    // Bit 0 forbids binding TCP ports, bit 1 forbids TCP connections.
    if version >= 4 { rules.network = mayConnect ? 0b01 : 0b11 }
    // These bits forbid connecting to abstract sockets of processes outside the sandbox, and sending them signals.
    if version >= 6 { rules.scope = 0b11 }
    // SAFETY: the structure is read during the call.
    let descriptor = unsafe landlock_make_rules(&rules)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    for (path, access) in paths {
      let failure = Self.add(access.intersection(.known(in: version)), path, to: descriptor)
      if failure != 0 { return failure }
    }
    return landlock_enter(descriptor) == 0 ? 0 : errno
  }

  private static func add(_ access: FileAccess, _ path: String, to rules: CInt) -> CInt {
    // SAFETY: the path lives for the call.
    let place = unsafe open(path, __O_PATH | O_CLOEXEC)
    guard place >= 0 else { return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno }
    defer { close(place) }
    var info = stat()
    // SAFETY: `info` is a stat structure.
    guard unsafe fstat(place, &info) == 0 else { return errno }
    let isFolder = info.st_mode & S_IFMT == S_IFDIR
    let allowed = isFolder ? access : access.intersection(.ofFiles)
    return landlock_allow_beneath(rules, place, allowed.rawValue) == 0 ? 0 : errno
  }
}

/// The access that is allowed beneath a folder, as Landlock's bits.
public struct FileAccess: OptionSet, Sendable {
  /// The bits, as Landlock defines them.
  public let rawValue: UInt64

  /// Makes an access from its bits.
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
  /// The rights that can apply to a file.
  static let ofFiles: FileAccess = [.execute, .writeFile, .readFile, .truncate]

  /// Every access right that a version of Landlock knows.
  ///
  /// The rules forbid each of them, unless one of them allows it for a path.
  ///
  /// - Parameter version: the version of Landlock. Version 1 has 13 rights; 2 added links and renames between folders, 3
  ///   truncation, 5 ioctls on devices.
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
