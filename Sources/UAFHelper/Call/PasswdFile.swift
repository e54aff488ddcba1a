import Glibc

/// Account names from `/etc/passwd` itself.
///
/// For a peer without root: its own statement of its name does not count. NSS is not asked here: its plug-ins would bring foreign
/// code and sockets into the process that has the keys. ``NameProcess`` asks it where this file does not know a number.
enum PasswdFile {
  /// How a number stands in the file.
  enum Standing: Equatable {
    /// One line has it.
    case named([UInt8])
    /// No line has it.
    case absent
    /// Several lines have it, its line has no name, or there is no file that could be read.
    case unclear
  }

  /// How `uid` stands in the text of a passwd file.
  static func standing(of uid: UInt32, in text: [UInt8]) -> Standing {
    guard !text.isEmpty else { return .unclear }
    let names = lines(of: text).filter { line in
      String(validating: line.fields[2], as: UTF8.self).flatMap { UInt32($0) } == uid
    }
    guard let first = names.first else { return .absent }
    return names.count == 1 && !first.name.isEmpty ? .named(Array(first.name)) : .unclear
  }

  /// The name of `uid` in the text of a passwd file; nil unless exactly one line names it.
  static func name(of uid: UInt32, in text: [UInt8]) -> [UInt8]? {
    guard case .named(let name) = standing(of: uid, in: text) else { return nil }
    return name
  }

  /// Whether a line of the text has that name.
  static func has(_ name: [UInt8], in text: [UInt8]) -> Bool {
    text.split(separator: UInt8(ascii: "\n")).contains { $0.prefix { $0 != UInt8(ascii: ":") }.elementsEqual(name) }
  }

  private static func lines(of text: [UInt8]) -> [(name: ArraySlice<UInt8>, fields: [ArraySlice<UInt8>])] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      return fields.count == 7 ? (fields[0], fields) : nil
    }
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
