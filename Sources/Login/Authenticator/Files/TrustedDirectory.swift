import CProcess
import Glibc

/// An open folder that nobody but its owner can have changed.
///
/// Its path is walked from `/` one component at a time, without following links. Each component is checked through its
/// descriptor, so nobody can swap it between check and use.
public struct TrustedDirectory: ~Copyable {
  /// Its path, for messages and for SQLite, which opens by path.
  public let path: String
  let descriptor: CInt

  /// Opens `path`, which must be absolute, owned by `owner`, and closed to everybody else.
  ///
  /// - Throws: ``StateError/unsafe(path:why:)`` or ``StateError/cannotOpen(path:errno:)``.
  public init(_ path: String, owner: uid_t) throws(StateError) {
    let descriptor = try Self.walk(path, owner: owner)
    do throws(StateError) {
      try Self.check(descriptor, path, owner: owner, forbidden: 0o077, isParent: false)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  private static func walk(_ path: String, owner: uid_t) throws(StateError) -> CInt {
    let components = path.split(separator: "/")
    guard path.hasPrefix("/"), !components.contains("."), !components.contains("..") else {
      throw .unsafe(path: path, why: .badPath)
    }
    // The folders on the path are checked, never read: the sandbox forbids opening them for reading.
    // SAFETY: each name lives for its call; each descriptor is closed once the next one is open, or on the way out.
    var directory = unsafe open("/", __O_PATH | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .cannotOpen(path: "/", errno: errno) }
    var reached = ""
    for (index, component) in components.enumerated() {
      // No folder on the path may be writable by others, unless it has the sticky bit like /tmp: then only the owner of a file
      // can rename it.
      do throws(StateError) {
        try check(directory, reached.isEmpty ? "/" : reached, owner: owner, forbidden: 0o022, isParent: true)
      } catch {
        close(directory)
        throw error
      }
      let access = index == components.count - 1 ? O_RDONLY : __O_PATH
      let next = unsafe openat(directory, String(component), access | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let failure = errno
      close(directory)
      reached += "/" + component
      guard next >= 0 else {
        throw failure == ELOOP || failure == ENOTDIR
          ? .unsafe(path: reached, why: .notFolder) : .cannotOpen(path: reached, errno: failure)
      }
      directory = next
    }
    return directory
  }

  private static func check(
    _ descriptor: CInt, _ path: String, owner: uid_t, forbidden: mode_t, isParent: Bool
  ) throws(StateError) {
    var info = stat()
    // SAFETY: `info` is a stat structure.
    guard unsafe fstat(descriptor, &info) == 0 else { throw .cannotOpen(path: path, errno: errno) }
    guard info.st_uid == owner || (isParent && info.st_uid == 0) else {
      throw .unsafe(path: path, why: .owner(info.st_uid, wanted: owner))
    }
    let excused = isParent && info.st_mode & S_ISVTX != 0 && info.st_uid == 0
    guard info.st_mode & forbidden == 0 || excused else {
      throw .unsafe(path: path, why: .open(mode: String(info.st_mode & 0o7777, radix: 8)))
    }
  }

  /// Makes the folder `name` in this one, closed to others; an existing one is left as it is.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  borrowing func makeFolder(_ name: String) throws(StateError) {
    // SAFETY: the name lives for the call.
    guard unsafe mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
      throw .cannotOpen(path: path + "/" + name, errno: errno)
    }
  }

  /// Whether the folder has an entry whose name `isMeant` accepts.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  borrowing func contains(where isMeant: (String) -> Bool) throws(StateError) -> Bool {
    // The stream gets a descriptor of its own, because it moves the descriptor's position and closes it.
    // SAFETY: the name is a literal; the stream is read and closed here alone, and d_name is NUL-terminated.
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw .cannotOpen(path: path, errno: errno) }
    guard let stream = unsafe fdopendir(copy) else {
      let failure = errno
      close(copy)
      throw .cannotOpen(path: path, errno: failure)
    }
    defer { unsafe closedir(stream) }
    while let entry = unsafe readdir(stream) {
      let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      let name = String(decoding: bytes, as: UTF8.self)
      if name != ".", name != "..", isMeant(name) { return true }
    }
    return false
  }

  /// Removes every file whose name `isMeant` accepts; what cannot be removed stays.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  borrowing func removeFiles(where isMeant: (String) -> Bool) throws(StateError) {
    var names: [String] = []
    _ = try contains { name in
      if isMeant(name) { names.append(name) }
      return false
    }
    // SAFETY: the names live for the calls.
    for name in names { _ = unsafe unlinkat(descriptor, name, 0) }
  }

  /// Removes a file.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  @discardableResult
  borrowing func removeFile(_ name: String) throws(StateError) -> Bool {
    // SAFETY: the name lives for the call.
    if unsafe unlinkat(descriptor, name, 0) == 0 { return true }
    guard errno == ENOENT else { throw .cannotOpen(path: path + "/" + name, errno: errno) }
    return false
  }

  /// Makes a new, empty file, which must not exist yet.
  ///
  /// - Returns: its descriptor, to be closed.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  borrowing func makeFile(_ name: String, mode: mode_t) throws(StateError) -> CInt {
    // SAFETY: the name lives for the call.
    let file = unsafe openat(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard file >= 0 else { throw .cannotOpen(path: path + "/" + name, errno: errno) }
    return file
  }

  /// Renames a file atomically.
  ///
  /// An existing file of the new name is replaced.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  borrowing func rename(_ name: String, to other: String) throws(StateError) {
    // SAFETY: the names live for the call.
    guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
      throw .cannotOpen(path: path + "/" + other, errno: errno)
    }
  }

  /// Renames a file, unless a file with the new name exists.
  ///
  /// If the file system cannot do this atomically, the new name is checked before the file is renamed. That is safe, because
  /// the caller holds a ``FileChange``.
  ///
  /// - Throws: ``StateError``: `superseded` if there is such a file.
  borrowing func rename(_ name: String, toNew other: String) throws(StateError) {
    // SAFETY: the names live for the calls; `info` is a stat structure.
    if unsafe file_rename_to_new(descriptor, name, other) == 0 { return }
    switch errno {
    case EEXIST: throw .superseded
    case EINVAL, ENOSYS:
      var info = stat()
      let found = unsafe fstatat(descriptor, other, &info, AT_SYMLINK_NOFOLLOW)
      guard found != 0, errno == ENOENT else { throw .superseded }
      try rename(name, to: other)
    case let failure: throw .cannotOpen(path: path + "/" + other, errno: failure)
    }
  }

  /// Whether `name` exists as a regular file with one link, owned by `owner`, and closed to others.
  ///
  /// - Returns: false if there is nothing of this name.
  /// - Throws: ``StateError`` if the entry is anything else.
  borrowing func hasFile(_ name: String, owner: uid_t) throws(StateError) -> Bool {
    var info = stat()
    // SAFETY: `info` is a stat structure.
    guard unsafe fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else {
      guard errno == ENOENT else { throw .cannotOpen(path: path + "/" + name, errno: errno) }
      return false
    }
    try Self.checkFile(info, path + "/" + name, owner: owner)
    return true
  }

  /// Reads a small file, which must be a regular file with one link, owned by `owner`, and closed to others.
  ///
  /// - Returns: how many bytes were put into `buffer`, or nil if there is no such file.
  borrowing func read(
    _ name: String, owner: uid_t, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StateError) -> Int? {
    // SAFETY: the name lives for the call; the descriptor is closed by the `defer`.
    let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      let failure = errno
      if failure == ENOENT { return nil }
      throw failure == ELOOP
        ? .unsafe(path: path + "/" + name, why: .symbolicLink)
        : .cannotOpen(path: path + "/" + name, errno: failure)
    }
    defer { close(file) }
    var info = stat()
    // SAFETY: `info` is a stat structure; the buffer is lent with its length.
    guard unsafe fstat(file, &info) == 0 else { throw .cannotOpen(path: path + "/" + name, errno: errno) }
    try Self.checkFile(info, path + "/" + name, owner: owner)
    let count = unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
    guard count >= 0 else { throw .cannotOpen(path: path + "/" + name, errno: errno) }
    return count
  }

  private static func checkFile(_ info: stat, _ path: String, owner: uid_t) throws(StateError) {
    guard info.st_mode & S_IFMT == S_IFREG else { throw .unsafe(path: path, why: .notRegular) }
    guard info.st_uid == owner else { throw .unsafe(path: path, why: .owner(info.st_uid, wanted: owner)) }
    guard info.st_mode & 0o077 == 0 else {
      throw .unsafe(path: path, why: .open(mode: String(info.st_mode & 0o7777, radix: 8)))
    }
    guard info.st_nlink == 1 else { throw .unsafe(path: path, why: .names(Int(clamping: info.st_nlink))) }
  }

  /// Waits until changes to the folder's entries are on the disk (fsync).
  borrowing func synchronise() throws(StateError) {
    guard fsync(descriptor) == 0 else { throw .cannotOpen(path: path, errno: errno) }
  }
}

extension TrustedDirectory {
  /// The content of a file of at most `capacity` bytes; nil if there is no such file.
  ///
  /// - Throws: ``StateError``; `unsafe` if the file is longer or empty.
  borrowing func bytes(_ name: String, owner: uid_t, capacity: Int) throws(StateError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: capacity + 1)
    var failure: StateError?
    // SAFETY: the buffer is used for the call only.
    let length = unsafe buffer.withUnsafeMutableBytes { room -> Int? in
      do throws(StateError) { return try unsafe read(name, owner: owner, into: room) } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    guard let length else { return nil }
    guard (1...capacity).contains(length) else {
      throw .unsafe(path: path + "/" + name, why: .size(limit: capacity))
    }
    return Array(buffer.prefix(length))
  }

  /// Stores bytes in a file; it is on the disk when this returns.
  ///
  /// They are first written to a temporary file, which then replaces the old one. So the file is either complete or unchanged.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  borrowing func replace(_ name: String, with bytes: [UInt8]) throws(StateError) {
    let temporary = ".\(name).new"
    try removeFile(temporary)
    let file = try makeFile(temporary, mode: 0o600)
    defer { close(file) }
    // SAFETY: the bytes are lent for the call.
    let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    guard written == bytes.count, fsync(file) == 0 else {
      let failure = errno
      _ = try? removeFile(temporary)
      throw .cannotOpen(path: path + "/" + temporary, errno: failure)
    }
    try rename(temporary, to: name)
    try synchronise()
  }
}
