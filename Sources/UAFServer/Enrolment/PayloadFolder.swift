import Glibc
import HostSystem
import UAFAdministration
import UAFMessages

/// A new folder with a file for each code, which has what `enrol` prints.
final class PayloadFolder: CodeOutput {
  let path: String
  private let descriptor: CInt
  private let append: CodeFile.Append

  /// Makes the folder.
  ///
  /// - Throws: ``ServerError/unusableDirectory(path:reason:)``, also if there is something of that name.
  init(
    path: String, append: @escaping CodeFile.Append = { DescriptorWriter.write($0, to: $1) }
  ) throws(ServerError) {
    // SAFETY: the string lives for the calls; the status is a stat structure.
    guard unsafe mkdir(path, 0o700) == 0 else {
      throw errno == EEXIST
        ? .unusableDirectory(path: path, reason: ServerError.isThereAlready) : Self.failure(path, "cannot be made")
    }
    let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw Self.failure(path, "cannot be opened") }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      close(opened)
      throw .unusableDirectory(path: path, reason: "somebody has put another folder in its place")
    }
    descriptor = opened
    self.path = path
    self.append = append
  }

  deinit { close(descriptor) }

  func add(_ codes: [EnrolmentPayload]) throws {
    for code in codes { try add(try PayloadFileName.name(for: code.username), code.encoded + "\n") }
    guard fsync(descriptor) == 0 else { throw Self.failure(path, "cannot be written") }
  }

  private func add(_ name: String, _ text: String) throws(ServerError) {
    let place = "\(path)/\(name)"
    // SAFETY: the name lives for the calls; the descriptor is closed before the function is left.
    let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .cannotMake(place) }
    let isWritten = append(Array(text.utf8), file) && fsync(file) == 0
    let error = ServerError.unusableFile(path: place, system: "cannot be written")
    close(file)
    guard isWritten else {
      // A part of a code is of use to nobody.
      unsafe unlinkat(descriptor, name, 0)
      throw error
    }
  }

  func finish() {}

  func remove() {
    // SAFETY: the string lives for the call.
    unsafe rmdir(path)
  }

  private static func failure(_ path: String, _ what: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableDirectory(path: path, reason: unsafe "\(what): \(String(cString: strerror(errno)))")
  }
}
