import Foundation
import Glibc

@testable import Authenticator

/// A state folder for one test, removed when the test ends.
final class StateFolder {
  let path: String

  init() {
    var template = Array((FileManager.default.temporaryDirectory.path + "/pam-uaf-state.XXXXXX").utf8CString)
    path = unsafe String(cString: mkdtemp(&template))
  }

  deinit {
    for folder in ["/state/accounts", "/state/slots", "/state", ""] { Self.empty(path + folder) }
    _ = unsafe rmdir(path)
  }

  var state: String { path + "/state" }

  func initialised() throws -> StateDirectory {
    _ = try StateDirectory.initialise(state, owner: getuid())
    return try StateDirectory(state, owner: getuid())
  }

  func file(_ uid: UInt32) -> String { state + "/accounts/\(uid).db" }

  /// Copies of the descriptors of the lock files that this process has open, as a starting child process gets them.
  func copiesOfLocks() -> [CInt] {
    // Tests that run at the same time have had more than 4,096 descriptors open.
    (0..<CInt(1 << 16)).filter { descriptor in
      var name = [CChar](repeating: 0, count: 512)
      // SAFETY: the buffer has the room that is announced, and one byte more.
      guard unsafe readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1) > 0 else { return false }
      return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .hasPrefix(state + "/slots/")
    }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
  }

  static func read(_ path: String) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  static func write(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
    _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    fchmod(descriptor, mode)
    close(descriptor)
  }

  private static func empty(_ path: String) {
    guard let folder = unsafe opendir(path) else { return }
    defer { unsafe closedir(folder) }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != "..", unsafe unlink(path + "/" + name) != 0 { _ = unsafe rmdir(path + "/" + name) }
    }
  }
}
