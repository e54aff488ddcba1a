import Glibc

@testable import UAFTool

// SAFETY of the calls below: each path is a String that lives for its call.

/// A folder of its own for one test, removed with this value.
///
/// Nothing in it is nested deeper than one level.
final class Folder {
  let path: String

  init() {
    var template = Array("/tmp/uafctl-test-XXXXXX".utf8CString)
    // SAFETY: a NUL-terminated text that is ours to change.
    _ = unsafe mkdtemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove(path) }

  private func remove(_ path: String) {
    // SAFETY: the stream is read and closed here alone; entries are NUL-terminated.
    if let folder = unsafe opendir(path) {
      while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { remove(path + "/" + name) }
      }
      unsafe closedir(folder)
      _ = unsafe rmdir(path)
    } else {
      _ = unsafe unlink(path)
    }
  }

  /// Makes a file and gives its path.
  func file(_ name: String, _ content: [UInt8], mode: mode_t) -> String {
    let path = path + "/" + name
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    _ = DescriptorWriter.write(content, to: descriptor)
    fchmod(descriptor, mode)
    close(descriptor)
    return path
  }

  /// Makes a folder in it and gives its path.
  func folder(_ name: String, mode: mode_t) -> String {
    let path = path + "/" + name
    _ = unsafe mkdir(path, mode)
    _ = unsafe chmod(path, mode)
    return path
  }

  /// What is in a file.
  func content(_ name: String) -> String {
    let descriptor = unsafe open(path + "/" + name, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // SAFETY: the buffer is as long as announced.
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += buffer[..<count]
    }
  }
}
