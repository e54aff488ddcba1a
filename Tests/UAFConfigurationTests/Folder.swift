import Foundation
import Glibc
import Testing

/// A folder for one test, removed with this object.
final class Folder {
  let path: String

  init() throws {
    var template = Array((FileManager.default.temporaryDirectory.path + "/uaf-configuration-XXXXXX").utf8CString)
    // SAFETY: mkdtemp writes within the array, which ends with a NUL.
    let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
    }
    try #require(made)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    Self.remove(path)
  }

  /// Removes a folder with its contents, following no link.
  private static func remove(_ path: String) {
    // SAFETY: the stream is read and closed here alone, and d_name is NUL-terminated within an entry.
    if let stream = unsafe opendir(path) {
      while let entry = unsafe readdir(stream) {
        let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
        let name = String(decoding: bytes, as: UTF8.self)
        if name == "." || name == ".." { continue }
        let isFolder = unsafe entry.pointee.d_type == UInt8(DT_DIR)
        if isFolder { remove(path + "/" + name) } else { _ = unsafe unlink(path + "/" + name) }
      }
      unsafe closedir(stream)
    }
    // SAFETY: the path lives for the call.
    _ = unsafe rmdir(path)
  }

  func write(_ name: String, _ content: [UInt8], mode: mode_t = 0o600) throws -> String {
    let file = path + "/" + name
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    var done = 0
    while done < content.count {
      // SAFETY: at most the rest of the array is read.
      let count = unsafe content.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done)
      }
      try #require(count > 0)
      done += count
    }
    try #require(fchmod(descriptor, mode) == 0)
    _ = close(descriptor)
    return file
  }

  func makeDirectory(_ name: String, mode: mode_t = 0o700) throws -> String {
    try #require(unsafe mkdir(path + "/" + name, 0o700) == 0 && chmod(path + "/" + name, mode) == 0)
    return path + "/" + name
  }
}
