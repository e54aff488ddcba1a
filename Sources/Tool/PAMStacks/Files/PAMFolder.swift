// Purpose: changes of PAM's folder by root. The folder is opened once, and every file by its name in it: no link is followed, and
// no file is ever half written.

import Glibc

/// The folder of PAM's services, which only its owner can change.
package final class PAMFolder: ServiceFolder {
  /// Its name.
  package let path: String
  /// The uid that owns it and must own every file in it.
  package let owner: uid_t
  private let descriptor: CInt
  private var lock: PAMLock?

  /// - Parameter owner: the uid that must own it and every file that is read or changed; root.
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

  /// Prevents every other `uafctl pam` from running until this object is destroyed.
  ///
  /// - Parameter parent: the folder that has the lock.
  /// - Throws: ``StackError``: `busy`, `file`.
  func lock(in parent: String) throws(StackError) { lock = try PAMLock(in: parent) }

  /// Refuses if one of a service's files cannot be replaced because something is mounted over it.
  ///
  /// - Throws: ``StackError``: `file`.
  func refuseMounts(for service: PAMService, _ isMountPoint: (String) -> Bool) throws(StackError) {
    for name in [service.name, service.stackName, service.backupName, service.savedName]
    where isMountPoint(path(of: name)) {
      throw .file(path: path(of: name), .mounted)
    }
  }

  func read(_ name: String) throws(StackError) -> [UInt8]? {
    do throws(StackFileProblem) {
      guard let file = try StackFile(name, in: descriptor) else { return nil }
      try file.check(owner: owner)
      return try file.content(limit: StackFileProblem.largest)
    } catch {
      throw .file(path: path(of: name), error)
    }
  }

  /// Writes a new file, flushes it, and renames it to the old name.
  func write(_ bytes: [UInt8], to name: String, like model: String?, over before: FileBefore) throws(StackError) {
    let temporary = ".\(name).uaf-new"
    do throws(StackFileProblem) {
      // A run that was interrupted may have left this file.
      try unlink(temporary)
      let file = try StackFile(making: temporary, in: descriptor)
      if let model, let original = try StackFile(model, in: descriptor) {
        try file.takeAttributes(of: original)
      }
      try file.write(bytes)
    } catch {
      try? unlink(temporary)
      throw .file(path: path(of: name), error)
    }
    do throws(StackError) {
      try check(name, is: before)
      try rename(temporary, to: name)
    } catch {
      try? unlink(temporary)
      throw error
    }
  }

  func move(_ name: String, to other: String, over before: FileBefore) throws(StackError) {
    try check(name, is: before)
    try rename(name, to: other)
  }

  private func rename(_ name: String, to other: String) throws(StackError) {
    // SAFETY: both names live for the call.
    guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
      throw .file(path: path(of: other), .system(errno))
    }
    do throws(StackFileProblem) { try flush() } catch { throw .file(path: path(of: other), error) }
  }

  func remove(_ name: String, over before: FileBefore) throws(StackError) {
    try check(name, is: before)
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

/// A lock that keeps a second `uafctl pam` from changing services at the same time.
///
/// It is released with this object, or when the process ends.
///
/// The locked file is in a folder that only root can write to. A lock on the folder of services would not do: everybody may
/// open that folder, so anybody could hold the lock.
final class PAMLock {
  private let descriptor: CInt

  private static let name = "uafctl-pam.lock"

  /// - Throws: ``StackError``: `busy`, `file`.
  init(in folder: String) throws(StackError) {
    let path = folder + "/" + Self.name
    // SAFETY: the path lives for the call.
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw .file(path: path, .system(errno)) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .busy(path: path) }
  }

  // The lock is released before the file is closed: a process that is just being started may have a copy of the descriptor,
  // which would keep the lock.
  deinit {
    guard descriptor >= 0 else { return }
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

/// The files of some folders of services, as they were when a stack was tried.
struct FolderReading: Equatable {
  private let files: [String: [UInt8]]

  init(of folders: [String]) {
    var files: [String: [UInt8]] = [:]
    for path in folders {
      let reader = PAMDirectory(path: path)
      for name in reader.services() ?? [] { files[path + "/" + name] = reader.bytes(of: name) }
    }
    self.files = files
  }

  /// The first file, by its name, that is not the same in `other`; nil if all are.
  func difference(to other: FolderReading) -> String? {
    Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.min()
  }
}

/// A folder of services that can be changed, one whole file at a time.
protocol ServiceFolder {
  /// Its name.
  var path: String { get }
  /// The content of a file; nil if there is none.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  func read(_ name: String) throws(StackError) -> [UInt8]?
  /// Replaces a file as a whole.
  ///
  /// - Parameter model: the file whose mode, owner and attributes it gets; mode 644 if this is nil or does not exist.
  /// - Throws: ``StackError``: `file`, `changed`.
  func write(_ bytes: [UInt8], to name: String, like model: String?, over before: FileBefore) throws(StackError)
  /// Renames a file, whose content must still be `before`; a file that already has the new name is replaced.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func move(_ name: String, to other: String, over before: FileBefore) throws(StackError)
  /// Removes a file if it exists; its content must still be `before`.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func remove(_ name: String, over before: FileBefore) throws(StackError)
}

extension ServiceFolder {
  /// The path of a file in the folder.
  package func path(of name: String) -> String { path + "/" + name }

  /// Refuses if a file has changed.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  package func check(_ name: String, is before: FileBefore) throws(StackError) {
    if case .known(let bytes) = before, try read(name) != bytes { throw .changed(path: path(of: name)) }
  }
}
