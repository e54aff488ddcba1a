import Glibc

/// An open file or folder that only root or the user who runs this program can have put there.
///
/// The path is opened one component at a time, and each folder is checked by its descriptor. So nobody can exchange a component
/// between check and use. The client has a different check for its state folder (`TrustedDirectory`), which follows no links
/// and requires that everything belongs to root.
struct TrustedPath: ~Copyable {
  let descriptor: CInt
  let status: stat

  /// The most links that are followed, which is the kernel's limit.
  private static let maximumLinks = 40
  private static let writableByOthers: mode_t = 0o022

  /// Opens the file or folder at a path for reading.
  ///
  /// - Parameters:
  ///   - path: an absolute path, or one that is relative to the working folder.
  ///   - followsLinks: whether symbolic links are followed; they must belong to root or this user, too.
  /// - Returns: nil if nothing exists at the path.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, which names the faulty part of the path.
  static func open(_ path: String, followsLinks: Bool) throws(ServerError) -> TrustedPath? {
    let way = Way(try open("/", in: AT_FDCWD, __O_PATH | O_DIRECTORY, path: "/"))
    var links = 0
    var rest = parts(of: try absolute(path))
    while let name = rest.popLast() {
      try checkFolder(way.folder, way.path)
      if name == ".." {
        way.goUp(to: try open("..", in: way.folder, __O_PATH | O_DIRECTORY, path: way.path + "/.."))
        continue
      }
      let place = way.place(of: name)
      guard let next = try openIfThere(name, in: way.folder, __O_PATH, path: place) else { return nil }
      var info = stat()
      // SAFETY: `info` is a stat structure.
      guard unsafe fstat(next, &info) == 0 else { throw failure(place, closing: next) }
      if info.st_mode & S_IFMT == S_IFLNK {
        links += 1
        defer { close(next) }
        guard followsLinks else {
          throw .unusableFile(path: place, reason: "is a symbolic link: give the path to which it leads")
        }
        try checkOwner(info, place)
        guard links <= maximumLinks else { throw .unusableFile(path: place, reason: "leads through too many links") }
        let target = try target(of: next, place)
        if target.hasPrefix("/") { way.begin(at: try open("/", in: AT_FDCWD, __O_PATH | O_DIRECTORY, path: "/")) }
        rest += parts(of: target)
      } else if rest.isEmpty {
        close(next)
        return try TrustedPath(descriptor: open(name, in: way.folder, O_RDONLY, path: place), path: place)
      } else {
        way.goDown(to: next, name)
      }
    }
    return try TrustedPath(descriptor: open(".", in: way.folder, O_RDONLY, path: way.path), path: way.path)
  }

  private init(descriptor: CInt, path: String) throws(ServerError) {
    var info = stat()
    // SAFETY: `info` is a stat structure.
    guard unsafe fstat(descriptor, &info) == 0 else { throw Self.failure(path, closing: descriptor) }
    do throws(ServerError) {
      try Self.checkOwner(info, path)
      guard info.st_mode & Self.writableByOthers == 0 else { throw Self.openToOthers(path, info) }
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    status = info
  }

  deinit { close(descriptor) }

  /// Applies the same checks to a file of this folder, if it exists.
  borrowing func checkFile(_ name: String, of path: String) throws(ServerError) {
    let place = "\(path)/\(name)"
    var info = stat()
    // SAFETY: `info` is a stat structure; the name lives for the call.
    guard unsafe fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else {
      guard errno == ENOENT else { throw Self.failure(place) }
      return
    }
    guard info.st_mode & S_IFMT == S_IFREG else { throw .unusableFile(path: place, reason: "is not a regular file") }
    try Self.checkOwner(info, place)
    guard info.st_mode & Self.writableByOthers == 0 else { throw Self.openToOthers(place, info) }
  }

  // MARK: Checks

  private static func checkOwner(_ info: stat, _ path: String) throws(ServerError) {
    guard info.st_uid == geteuid() || info.st_uid == 0 else {
      throw .unusableFile(
        path: path,
        reason: "belongs to uid \(info.st_uid), and uaf-server runs as uid \(geteuid()): run it as that user "
          + "(runuser -u NAME), or check its content and change its owner with chown")
    }
  }

  private static func openToOthers(_ path: String, _ info: stat) -> ServerError {
    .unusableFile(
      path: path,
      reason: "others can write to it (mode \(String(info.st_mode & 0o7777, radix: 8))) and may have changed what is "
        + "there: check its content, then run 'chmod go-w \(path)'")
  }

  /// Checks a folder on the path.
  ///
  /// Others must not be able to write to it, unless it is sticky like /tmp, where only a file's owner can replace the file.
  private static func checkFolder(_ descriptor: CInt, _ path: String) throws(ServerError) {
    var info = stat()
    // SAFETY: `info` is a stat structure.
    guard unsafe fstat(descriptor, &info) == 0 else { throw failure(path) }
    try checkOwner(info, path)
    let isLikeTmp = info.st_mode & S_ISVTX != 0 && info.st_uid == 0
    guard info.st_mode & writableByOthers == 0 || isLikeTmp else { throw openToOthers(path, info) }
  }

  // MARK: System calls

  private static func open(
    _ name: String, in folder: CInt, _ flags: CInt, path: String
  ) throws(ServerError) -> CInt {
    guard let descriptor = try openIfThere(name, in: folder, flags, path: path) else {
      throw .unusableFile(path: path, reason: "no longer exists")
    }
    return descriptor
  }

  private static func openIfThere(
    _ name: String, in folder: CInt, _ flags: CInt, path: String
  ) throws(ServerError) -> CInt? {
    // SAFETY: the name lives for the call. Without O_NONBLOCK a FIFO would wait for its other end.
    let descriptor = unsafe openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor < 0 else { return descriptor }
    switch errno {
    case ENOENT: return nil
    case ENOTDIR: throw .unusableFile(path: path, reason: "the folder above it is not a folder")
    default: throw failure(path)
    }
  }

  private static func target(of link: CInt, _ path: String) throws(ServerError) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: the buffer has the room that its count states; the name is a literal.
    let count = unsafe readlinkat(link, "", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { throw failure(path) }
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The components of a path in reverse order, so that the next one is last.
  private static func parts(of path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
  }

  static func absolute(_ path: String) throws(ServerError) -> String {
    if path.hasPrefix("/") { return path }
    // SAFETY: getcwd allocates, and what it allocated is freed here.
    guard let working = unsafe getcwd(nil, 0) else { throw failure(path) }
    defer { unsafe free(working) }
    return unsafe String(cString: working) + "/" + path
  }

  private static func failure(_ path: String, closing descriptor: CInt = -1) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    let hint =
      errno == EACCES
      ? " (uaf-server runs as uid \(geteuid()): give that user, or its group, access to it)" : ""
    let reason = unsafe "cannot be opened: \(String(cString: strerror(errno)))" + hint
    if descriptor >= 0 { close(descriptor) }
    return .unusableFile(path: path, reason: reason)
  }

  /// The folder that has been reached on the path so far, kept open.
  private final class Way {
    private(set) var folder: CInt
    private var names: [String] = []

    init(_ root: CInt) { folder = root }

    deinit { close(folder) }

    var path: String { "/" + names.joined(separator: "/") }

    func place(of name: String) -> String { "/" + (names + [name]).joined(separator: "/") }

    func goDown(to next: CInt, _ name: String) {
      move(to: next)
      names.append(name)
    }

    func goUp(to parent: CInt) {
      move(to: parent)
      _ = names.popLast()
    }

    func begin(at root: CInt) {
      move(to: root)
      names = []
    }

    private func move(to next: CInt) {
      close(folder)
      folder = next
    }
  }
}
