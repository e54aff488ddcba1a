import Glibc
import HostSystem

/// The file that gets the codes of a list: CSV for its owner alone, with a line for each code that is open.
struct CodeFile: ~Copyable {
  /// The first line.
  static let header = ["username", "expires", "code"]

  private let descriptor: CInt
  private let path: String

  /// Makes the file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, also if there is one of that name.
  init(path: String) throws(ServerError) {
    // SAFETY: the string lives for the call.
    let made = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw Self.failure(path, "cannot be made") }
    descriptor = made
    self.path = path
  }

  deinit { close(descriptor) }

  /// Adds lines, and waits until they are on the disk.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func add(_ lines: [[String]]) throws(ServerError) {
    let text = lines.map { $0.map(CSVLine.written).joined(separator: ",") + "\n" }.joined()
    guard DescriptorWriter.write(Array(text.utf8), to: descriptor), fdatasync(descriptor) == 0 else {
      throw Self.failure(path, "cannot be written")
    }
  }

  private static func failure(_ path: String, _ what: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableFile(path: path, reason: unsafe "\(what): \(String(cString: strerror(errno)))")
  }
}
