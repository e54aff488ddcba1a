import Glibc

/// The paths of pam-uaf's parts: the socket's is fixed, the others depend on the path of this program.
package enum InstalledPaths {
  /// Where systemd serves the core.
  package static let socket = "/run/pam-uaf/helper.sock"

  /// The path of a program of the libexec folder; free of links and dots where it exists.
  ///
  /// `bin/uafctl` and `libexec/pam-uaf/uaf-helper` move together.
  package static func program(_ name: String) -> String { below("libexec/pam-uaf/" + name) }

  /// The path of a part that is installed with this program, from the folder that has `bin`.
  package static func below(_ part: String) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: the buffer is as long as announced; readlink adds no NUL and tells the length.
    let length = unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe buffer.baseAddress.map {
        unsafe readlink("/proc/self/exe", $0.assumingMemoryBound(to: CChar.self), buffer.count)
      } ?? 0
    }
    let own = String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
    // The kernel's name of the program has no links and no dots in it.
    let path = own.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/" + part
    // SAFETY: with NULL realpath allocates a NUL-terminated text that is ours to free.
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
