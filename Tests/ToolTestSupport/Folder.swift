import Foundation
import Glibc
import HostSystem
import PAMStacks

/// One test's own folder, removed with this value.
package final class Folder {
  package let path: String

  package init() {
    var template = Array((FileManager.default.temporaryDirectory.path + "/uafctl-test-XXXXXX").utf8CString)
    // SAFETY: a NUL-terminated text that is ours to change.
    _ = unsafe mkdtemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove(path) }

  private func remove(_ path: String) {
    // SAFETY: the path lives for the calls. Whatever is not a folder goes first, so that no link is ever followed.
    if unsafe unlink(path) == 0 { return }
    guard let folder = unsafe opendir(path) else { return }
    // SAFETY: the stream is read and closed here alone; names are NUL-terminated within an entry.
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { remove(path + "/" + name) }
    }
    unsafe closedir(folder)
    _ = unsafe rmdir(path)
  }

  /// Creates a file and returns its path.
  package func file(_ name: String, _ content: [UInt8], mode: mode_t) -> String {
    let path = path + "/" + name
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    _ = DescriptorWriter.write(content, to: descriptor)
    fchmod(descriptor, mode)
    close(descriptor)
    return path
  }

  /// Creates a PAM module that libpam could load, a copy of pam_permit, and returns its path.
  package func module(_ name: String) -> String { file(name, Self.module, mode: 0o644) }

  /// The content of a real module.
  package static let module: [UInt8] = {
    let folders = ["x86_64", "aarch64"].map { "/lib/\($0)-linux-gnu/security" }
    return folders.lazy.compactMap { PAMDirectory(path: $0).bytes(of: "pam_permit.so") }.first ?? []
  }()

  /// Creates a library that has up to three names, none of which is longer than those of PAM, and returns its path.
  package func library(_ name: String, having names: [String]) -> String {
    var bytes = Self.module
    for (own, new) in zip(["pam_sm_authenticate", "pam_sm_open_session", "pam_sm_close_session"], names) {
      guard let place = bytes.firstRange(of: Array(own.utf8)) else { continue }
      bytes.replaceSubrange(
        place, with: Array(new.utf8) + [UInt8](repeating: 0, count: own.utf8.count - new.utf8.count))
    }
    return file(name, bytes, mode: 0o644)
  }

  /// Creates a program and returns its path.
  package func program(_ name: String, _ script: String) -> String {
    let path = path + "/" + name
    Self.install(file(name + ".text", Array(script.utf8), mode: 0o600), as: path)
    return path
  }

  /// Creates a program at `path` that is a copy of a file.
  ///
  /// A separate process writes it. No program can be started while somebody has it open for writing, and a process that this
  /// process forks in the meantime, for any test, has the same files open.
  package static func install(_ source: String, as path: String) {
    let texts = ["/usr/bin/install", "-m", "755", source, path]
    // SAFETY: the list ends with NULL, and its texts are freed once, after the call, which copies them.
    var words = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    guard unsafe posix_spawn(&process, "/usr/bin/install", nil, nil, &words, nil) == 0 else { return }
    var status: CInt = 0
    // SAFETY: `status` is what waitpid fills.
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// Creates a folder in it and returns its path.
  package func folder(_ name: String, mode: mode_t) -> String {
    let path = path + "/" + name
    // SAFETY: the path lives for the call.
    _ = unsafe mkdir(path, mode)
    // SAFETY: the path lives for the call.
    _ = unsafe chmod(path, mode)
    return path
  }

  /// Changes a mode.
  package func setMode(_ mode: mode_t, of name: String) {
    // SAFETY: the path lives for the call.
    _ = unsafe chmod(path + "/" + name, mode)
  }

  /// Removes a file.
  package func delete(_ name: String) { remove(path + "/" + name) }

  /// Creates a symbolic link.
  package func link(_ name: String, to target: String) {
    // SAFETY: both paths live for the call.
    _ = unsafe symlink(target, path + "/" + name)
  }

  /// Creates a FIFO and returns its path.
  package func fifo(_ name: String) -> String {
    // SAFETY: the path lives for the call.
    _ = unsafe mkfifo(path + "/" + name, 0o600)
    return path + "/" + name
  }

  /// The names in a folder, hidden ones too, in order.
  package func names(_ name: String) -> [String] {
    // SAFETY: the stream is read and closed here alone; names are NUL-terminated within an entry.
    guard let folder = unsafe opendir(path + "/" + name) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The mode of a file.
  package func mode(_ name: String) -> mode_t? { (try? FileState.of(path + "/" + name).get())?.mode }

  /// Copies of the descriptors by which this process has a file open, such as a process that is starting gets.
  package func copies(ofOpen name: String) -> [CInt] {
    // Tests that wait at the same time have had more than 4,096 open.
    (0..<CInt(1 << 16)).filter { descriptor in
      var target = [CChar](repeating: 0, count: 512)
      // SAFETY: the buffer has the room that is announced, and one byte more.
      guard unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1) > 0 else { return false }
      return target.prefix { $0 != 0 }.elementsEqual((path + "/" + name).utf8CString.dropLast())
    }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
  }

  /// The content of a file.
  package func content(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

  package func bytes(_ name: String) -> [UInt8] {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path + "/" + name, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // SAFETY: the buffer is as long as announced.
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return all }
      all += buffer[..<count]
    }
  }
}
