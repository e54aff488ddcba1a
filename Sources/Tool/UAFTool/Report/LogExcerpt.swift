import Doctor
import Glibc
import HostSystem

/// Where the last lines of the log come from: the journal, or a file that a syslog daemon writes.
struct LogSource {
  private let installation: Installation

  init(_ installation: Installation) { self.installation = installation }

  /// How many lines of ours a report has at most.
  static let most = 100
  // The end of the log's file that is read, in bytes: some thousand lines.
  private static let tail = 524_288

  /// The last lines that may be ours, the oldest first; nil if no log can be read.
  func recent() -> [String]? {
    let pattern = #"^(pam_uaf\([^)]*\): )?event="#
    for count in [Self.most, Self.most / 5] {
      let arguments = ["--quiet", "--no-pager", "--output=short-iso", "--lines=\(count)", "--grep=\(pattern)"]
      guard let text = installation.output("/usr/bin/journalctl", arguments), !text.isEmpty else { continue }
      let lines = text.split(separator: "\n").map(String.init)
      // With --grep, some versions print the newest line first. The times sort as texts.
      return lines.first.map { $0 > lines[lines.count - 1] } == true ? lines.reversed() : lines
    }
    return ends(of: installation.logPath)
  }

  private func ends(of path: String) -> [String]? {
    // SAFETY: the path lives for the call. With O_NONBLOCK a FIFO does not make this wait.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    guard size >= 0, lseek(file, max(0, size - Self.tail), SEEK_SET) >= 0,
      let bytes = DescriptorReader.read(file, atMost: Self.tail)
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    return size > Self.tail ? Array(lines.dropFirst()) : lines
  }
}

/// The lines of the log that are ours, each made anew from the parts that this program knows.
///
/// A line of a different form may have come from any program, and contain anything that somebody typed; it is left out, and so
/// is a name that is no account's: people type their passcode where a name is asked for.
struct LogExcerpt {
  private let accounts: any AccountDirectory
  /// The accounts that the lines name.
  private(set) var accountsSeen: [String] = []
  /// The remote hosts that the lines name, by name or address.
  private(set) var hostsSeen: [String] = []

  init(accounts: any AccountDirectory) { self.accounts = accounts }

  /// The keys of a line, as pam_uaf(8) lists them; any other part is left out.
  static let keys = [
    "event", "result", "name", "pam", "account", "uid", "service", "origin", "via", "peer", "tty", "rhost", "type",
    "lock", "seconds", "offline", "age", "policy", "unused", "program", "missing", "tls", "detail",
  ]

  /// The lines of ours among `lines`, at most ``LogSource/most``, the newest last.
  mutating func lines(_ lines: [String]?) -> [String] {
    guard let lines else { return ["it cannot be read here (journalctl, authpriv)"] }
    var found: [String] = []
    for line in lines { if let own = own(line) { found.append(own) } }
    return found.isEmpty ? ["no line of pam_uaf"] : Array(found.suffix(LogSource.most))
  }

  /// The line as it is shown; nil if it is not ours.
  private mutating func own(_ line: String) -> String? {
    guard let place = Self.message(in: line) else { return nil }
    var shown: [String] = []
    for (key, value) in Self.parts(line[place...]) {
      shown.append("\(key)=\(show(value, of: key))")
    }
    guard shown.first?.hasPrefix("event=") == true else { return nil }
    return ([Self.time(line), Self.program(line[..<place])].compactMap { $0 } + shown).joined(separator: " ")
  }

  /// Where our message begins: after the core's own name, or after the module's in the message of its host.
  private static func message(in line: String) -> String.Index? {
    var rest = line[...]
    while let space = rest.firstIndex(of: " ") {
      let next = rest.index(after: space)
      let word = rest[..<space]
      rest = rest[next...]
      let isCore = word.hasPrefix("pam-uaf[") && word.hasSuffix("]:")
      let isOwn = isCore || word.hasPrefix("pam_uaf(") && word.hasSuffix("):")
      if isOwn, rest.hasPrefix("event=") { return next }
    }
    return nil
  }

  /// The time that the log wrote: the first word, or three in the form that begins with the month.
  private static func time(_ line: String) -> String? {
    let words = line.prefix(40).split(separator: " ", omittingEmptySubsequences: true)
    guard let first = words.first else { return nil }
    let count = first.contains("T") && first.contains(":") ? 1 : 3
    let text = words.prefix(count).joined(separator: " ")
    return text.utf8.allSatisfy { isWord($0) || " :+".utf8.contains($0) } ? text : nil
  }

  /// The program that wrote the line, with its process: `sudo[12]`.
  private static func program(_ before: Substring) -> String? {
    before.split(separator: " ").first { $0.hasSuffix("]:") }.flatMap { word in
      let name = word.dropLast()
      return name.utf8.allSatisfy { isWord($0) || "[]".utf8.contains($0) } ? String(name) : nil
    }
  }

  /// The parts of a line with a known key, in their order; a value in quotes is whole.
  private static func parts(_ message: Substring) -> [(key: String, value: String)] {
    var rest = message
    var parts: [(key: String, value: String)] = []
    while let equals = rest.firstIndex(of: "=") {
      let key = rest[..<equals].split(separator: " ").last.map(String.init) ?? ""
      rest = rest[rest.index(after: equals)...]
      let value: Substring
      if rest.first == "\"" {
        value = rest.dropFirst().prefix { $0 != "\"" }
        rest = rest[value.endIndex...].dropFirst()
      } else {
        value = rest.prefix { $0 != " " }
        rest = rest[value.endIndex...]
      }
      if keys.contains(key) { parts.append((key, String(value))) }
    }
    return parts
  }

  private mutating func show(_ value: String, of key: String) -> String {
    switch key {
    case "account":
      guard accounts.account(named: value) != nil else { return "(no account here)" }
      if value != "root", !accountsSeen.contains(value) { accountsSeen.append(value) }
      return value
    case "detail": return "\"\(Self.withoutKeys(value))\""
    default:
      let isPlain = value.utf8.count <= 64 && value.utf8.allSatisfy { Self.isWord($0) || "/:,+%#()".utf8.contains($0) }
      guard isPlain else { return "(not shown)" }
      if key == "rhost" { hostsSeen.append(value) }
      return Self.withoutKeys(value)
    }
  }

  /// The text without words that only a program would write: keys, codes, tokens and digests have 16 characters and more, with
  /// digits among letters.
  static func withoutKeys(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let run = word.utf8.count(where: { isWord($0) || "/+=:".utf8.contains($0) })
      let digits = word.utf8.count(where: { (0x30...0x39).contains($0) })
      let letters = word.utf8.count(where: { (0x61...0x7a).contains($0 | 0x20) })
      let isPath = word.hasPrefix("/") || word.hasPrefix("'/") || word.contains("://")
      return run >= 16 && digits >= 2 && letters >= 2 && !isPath ? "(\(run) characters)" : String(word)
    }.joined(separator: " ")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "._-".utf8.contains(byte)
  }
}
