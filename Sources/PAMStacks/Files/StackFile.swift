import CPAM
import Glibc
import HostSystem

/// An open file of PAM's folder.
final class StackFile {
  private let descriptor: CInt

  /// Opens a file; nil if there is none.
  init?(_ name: String, in folder: CInt) throws(StackFileProblem) {
    // SAFETY: the name lives for the call.
    descriptor = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor >= 0 { return }
    switch errno {
    case ENOENT: return nil
    case ELOOP: throw .symbolicLink
    case ENXIO: throw .noFile
    case let other: throw .system(other)
    }
  }

  /// Makes a new file; only its owner may use it until it gets the attributes of another file.
  init(making name: String, in folder: CInt) throws(StackFileProblem) {
    // SAFETY: the name lives for the call.
    descriptor = unsafe openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw .system(errno) }
    guard fchmod(descriptor, 0o644) == 0 else { throw .system(errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private func status() throws(StackFileProblem) -> stat {
    var status = stat()
    // SAFETY: fstat fills exactly one stat.
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno) }
    return status
  }

  /// Checks that it is a regular file with one name that only `owner` can have written.
  func check(owner: uid_t) throws(StackFileProblem) {
    let status = try status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile }
    guard status.st_uid == owner else { throw .owner(status.st_uid) }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writable }
    guard status.st_nlink == 1 else { throw .hardLinks }
  }

  /// Its whole content.
  func content(limit: Int) throws(StackFileProblem) -> [UInt8] {
    guard let content = DescriptorReader.read(descriptor, atMost: limit + 1) else { throw .system(errno) }
    guard content.count <= limit else { throw .tooLarge }
    return content
  }

  /// Writes `bytes`, and waits until they are on the disk.
  func write(_ bytes: [UInt8]) throws(StackFileProblem) {
    guard DescriptorWriter.write(bytes, to: descriptor), fsync(descriptor) == 0 else { throw .system(errno) }
  }

  /// Gets the owner, the mode and the extended attributes (access lists and security labels among them) of another.
  func takeAttributes(of other: StackFile) throws(StackFileProblem) {
    let (mine, theirs) = (try status(), try other.status())
    if mine.st_uid != theirs.st_uid || mine.st_gid != theirs.st_gid {
      guard fchown(descriptor, theirs.st_uid, theirs.st_gid) == 0 else { throw .system(errno) }
    }
    guard fchmod(descriptor, theirs.st_mode & 0o7777) == 0 else { throw .system(errno) }
    for name in try other.attributeNames() {
      let value = try other.attribute(name)
      // SAFETY: name and value live for the call, and the value is as long as announced.
      guard unsafe fsetxattr(descriptor, name, value, value.count, 0) == 0 else { throw .system(errno) }
    }
  }

  // The kernel's own limit of both.
  private static let attributeRoom = 65_536

  private func attributeNames() throws(StackFileProblem) -> [String] {
    var list = [CChar](repeating: 0, count: Self.attributeRoom)
    // SAFETY: the list is as long as announced.
    let count = unsafe flistxattr(descriptor, &list, list.count)
    // Some file systems have no attributes.
    if count < 0, errno == ENOTSUP { return [] }
    guard count >= 0 else { throw .system(errno) }
    return list.prefix(count).split(separator: 0).map { name in
      String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private func attribute(_ name: String) throws(StackFileProblem) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: Self.attributeRoom)
    // SAFETY: the name lives for the call; the value is as long as announced.
    let count = unsafe fgetxattr(descriptor, name, &value, value.count)
    guard count >= 0 else { throw .system(errno) }
    return Array(value.prefix(count))
  }
}
