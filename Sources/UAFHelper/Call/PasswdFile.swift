import Glibc

/// Account names from `/etc/passwd` itself.
///
/// For a peer without root: its own statement of its name does not count. NSS is not asked: its plug-ins would bring foreign code
/// and sockets into the process that has the keys. An account from LDAP or SSSD is registered by root, whose uafctl does ask NSS.
enum PasswdFile {
  /// The name of `uid` in the text of a passwd file; nil unless exactly one line names it.
  static func name(of uid: UInt32, in text: [UInt8]) -> [UInt8]? {
    let lines = text.split(separator: UInt8(ascii: "\n"))
    let names = lines.compactMap { line -> [UInt8]? in
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count == 7, let number = String(validating: fields[2], as: UTF8.self), UInt32(number) == uid
      else { return nil }
      return Array(fields[0])
    }
    return names.count == 1 && !names[0].isEmpty ? names[0] : nil
  }

  /// Reads the machine's passwd file; empty if it cannot be read or is above 4 MiB.
  static func read(_ path: String = "/etc/passwd") -> [UInt8] {
    // SAFETY: the path lives for the call; the descriptor is closed by the `defer`.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: (4 << 20) + 1)
    // SAFETY: the array has room for as many bytes as are asked for.
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    return (0...4 << 20).contains(count) ? Array(bytes.prefix(count)) : []
  }
}
