import Glibc

// Purpose: PAM's folder as root changes it. The folder is opened once, and every file by its name in it: no link is followed,
// and no file is ever there in part.

/// The folder of PAM's services, which only its owner can change.
final class PAMFolder {
  /// Its name.
  let path: String
  /// Who owns it, and must own every file of it.
  let owner: uid_t
  private let descriptor: CInt

  /// Bytes of a file: far above what any stack has.
  static let largest = 65_536

  /// - Parameter owner: who must own it, and every file that is read or changed; root.
  /// - Throws: ``StackError/folder(path:_:)``.
  init(_ path: String, owner: uid_t) throws(StackError) {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .folder(path: path, .system(errno)) }
    self.path = path
    self.descriptor = descriptor
    self.owner = owner
    var status = stat()
    // SAFETY: fstat fills exactly one stat.
    guard unsafe fstat(descriptor, &status) == 0 else { throw .folder(path: path, .system(errno)) }
    guard status.st_uid == owner else { throw .folder(path: path, .owner(status.st_uid)) }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .folder(path: path, .writable) }
  }

  deinit { close(descriptor) }

  /// Keeps every other `uafctl pam` out until this value is gone.
  ///
  /// - Throws: ``StackError/busy(path:)``.
  func lock() throws(StackError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .busy(path: path) }
  }

  /// The name of a file with the folder's.
  func path(of name: String) -> String { path + "/" + name }

  /// What a file holds; nil if there is none.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  func read(_ name: String) throws(StackError) -> [UInt8]? {
    do throws(StackFileProblem) {
      guard let file = try StackFile(name, in: descriptor) else { return nil }
      try file.check(owner: owner)
      return try file.content(limit: Self.largest)
    } catch {
      throw .file(path: path(of: name), error)
    }
  }

  /// Puts a whole file in place: written beside it, flushed, renamed.
  ///
  /// - Parameter model: the file whose mode, owner and attributes it gets; nil, or one that is not there: mode 644.
  /// - Throws: ``StackError/file(path:_:)``.
  func write(_ bytes: [UInt8], to name: String, like model: String?) throws(StackError) {
    let temporary = ".\(name).uaf-new"
    do throws(StackFileProblem) {
      // One of a run that was interrupted.
      try unlink(temporary)
      let file = try StackFile(making: temporary, in: descriptor)
      if let model, let original = try StackFile(model, in: descriptor) {
        try file.takeAttributes(of: original)
      }
      try file.write(bytes)
      // SAFETY: both names live for the call.
      guard unsafe renameat(descriptor, temporary, descriptor, name) == 0 else { throw .system(errno) }
      try flush()
    } catch {
      try? unlink(temporary)
      throw .file(path: path(of: name), error)
    }
  }

  /// Gives a file another name, under which there may be one.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  func move(_ name: String, to other: String) throws(StackError) {
    // SAFETY: both names live for the call.
    guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
      throw .file(path: path(of: name), .system(errno))
    }
    do throws(StackFileProblem) { try flush() } catch { throw .file(path: path(of: other), error) }
  }

  /// Removes a file, if it is there.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  func remove(_ name: String) throws(StackError) {
    do throws(StackFileProblem) {
      try unlink(name)
      try flush()
    } catch {
      throw .file(path: path(of: name), error)
    }
  }

  private func unlink(_ name: String) throws(StackFileProblem) {
    // SAFETY: the name lives for the call.
    guard unsafe unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw .system(errno) }
  }

  private func flush() throws(StackFileProblem) {
    guard fsync(descriptor) == 0 else { throw .system(errno) }
  }
}
