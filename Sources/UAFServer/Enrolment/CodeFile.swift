import Glibc
import HostSystem

/// A new file for its owner alone, which gets codes one after the other.
final class CodeFile {
  /// Writes bytes to a descriptor; false if not all of them were written, and `errno` says why.
  typealias Append = ([UInt8], CInt) -> Bool

  let path: String
  private let descriptor: CInt
  private let append: Append

  /// Makes the file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, also if there is one of that name.
  init(
    path: String, append: @escaping Append = { DescriptorWriter.write($0, to: $1) }
  ) throws(ServerError) {
    // SAFETY: the string lives for the call.
    let made = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw .cannotMake(path) }
    descriptor = made
    self.path = path
    self.append = append
  }

  deinit { close(descriptor) }

  /// Adds text, and waits until it is on the disk.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func add(_ text: String) throws(ServerError) {
    guard append(Array(text.utf8), descriptor), fdatasync(descriptor) == 0 else {
      throw .unusableFile(path: path, system: "cannot be written")
    }
  }

  /// Removes the file.
  func remove() {
    // SAFETY: the string lives for the call.
    unsafe unlink(path)
  }
}
