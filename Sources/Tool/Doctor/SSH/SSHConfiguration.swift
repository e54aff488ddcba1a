import Glibc
import HostSystem
import PAMStacks

/// The sources of sshd's settings.
struct SSHConfiguration {
  /// The program.
  let program: String
  /// Its configuration.
  let file: String
  /// What a program prints; nil if it prints nothing.
  let output: (String, [String]) -> String?
  /// A program's error output; nil if there is none.
  var errors: (String, [String]) -> String? = { _, _ in nil }

  /// The settings, and what could not be determined.
  ///
  /// Root asks sshd itself (`sshd -T`), for each person if a Match block examines people. For others the files are read, as
  /// far as the caller may.
  ///
  /// - Parameter people: the people for whom a Match block may change something.
  func reading(isRoot: Bool, people: () -> [String]) -> SSHReading {
    guard (try? FileState.of(program).get()) != nil else { return .absent }
    let (files, gap) = read()
    guard isRoot else {
      if let gap { return .unread(gap) }
      return .read(SSHReading.Known(everybody: files, unevaluated: files.criteria))
    }
    guard let text = output(program, ["-T", "-f", file]) else {
      let error = complaint(["-t", "-f", file])
      if let error, Self.isAboutKeys(error) { return .keyless(error) }
      if let error, Self.isAboutConfiguration(error) { return .refused(error) }
      return gap.map { .unread($0) }
        ?? .read(SSHReading.Known(everybody: files, unevaluated: files.criteria, complaint: error))
    }
    var known = SSHReading.Known(
      everybody: SSHSettings(text), unevaluated: files.criteria.filter { !SSHSettings.personal.contains($0) })
    if let line = unusableKeys(known.everybody) { return .keyless(line) }
    guard files.hasOpenBlock || files.criteria.contains(where: SSHSettings.personal.contains) else {
      return .read(known)
    }
    let names = people()
    known.left = max(0, names.count - Self.most)
    for name in names.prefix(Self.most) {
      let arguments = ["-T", "-f", file, "-C", Self.connection(of: name, at: known.everybody.ports.first)]
      if let text = output(program, arguments) {
        known.people.append((name, SSHSettings(text)))
      } else {
        known.refused.append((name, complaint(arguments)))
      }
    }
    return .read(known)
  }

  /// The PAM services that sshd uses: the one for everybody, and those of Match blocks.
  ///
  /// They are read from the files, even for root, because no Match block is evaluated for them.
  func services() -> SSHServices {
    guard (try? FileState.of(program).get()) != nil else { return SSHServices() }
    let (settings, gap) = read()
    return SSHServices(main: settings.service, others: settings.conditionalServices, unread: gap?.path)
  }

  // For each person sshd is started once, which takes some milliseconds.
  private static let most = 50

  /// A connection from an address that belongs to nobody (RFC 5737).
  private static func connection(of name: String, at port: String?) -> String {
    "user=\(name),host=192.0.2.1,addr=192.0.2.1,laddr=192.0.2.2,lport=\(port ?? "22")"
  }

  /// The setting because of which sshd can use none of its keys; nil if it may use one.
  ///
  /// Such an sshd starts, but ends each connection.
  private func unusableKeys(_ settings: SSHSettings) -> String? {
    let (files, kinds) = (settings.hostKeys, settings.hostKeyKinds)
    guard !files.isEmpty, !kinds.isEmpty else { return nil }
    let isUsable = files.contains { file in
      guard FileState.following(file) != nil else { return false }
      // A key of an unknown kind may be a key that sshd can use.
      guard let kind = read(file + ".pub")?.split(separator: " ").first else { return true }
      return kinds.contains { $0 == kind || kind == "ssh-rsa" && $0.hasPrefix("rsa-sha2-") }
    }
    return isUsable ? nil : "HostKeyAlgorithms \(kinds.joined(separator: ","))"
  }

  /// sshd's error output, up to the line that names the file.
  ///
  /// That line comes first, or after the reason: "Unsupported Match attribute Users", then the file with "Bad Match condition".
  private func complaint(_ arguments: [String]) -> String? {
    let lines = errors(program, arguments)?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    if lines.contains(where: Self.isAboutKeys) {
      return lines.filter { $0.lowercased().contains("host key") || Self.isAboutKeys($0) }.joined(separator: "; ")
    }
    let end = lines.firstIndex { $0.hasPrefix("/") } ?? lines.firstIndex(where: Self.isAboutMethods) ?? 0
    return lines.isEmpty ? nil : lines.prefix(end + 1).joined(separator: "; ")
  }

  /// Without a host key that it may use, sshd does not start.
  private static func isAboutKeys(_ line: String) -> Bool { line.contains("no hostkeys available") }

  /// For methods that are off, sshd names no file.
  private static func isAboutMethods(_ line: String) -> Bool { line.contains("AuthenticationMethods") }

  /// Whether sshd complains about its configuration, not about the machine, such as a folder that it lacks.
  private static func isAboutConfiguration(_ complaint: String) -> Bool {
    complaint.hasPrefix("/") || complaint.contains("; /") || isAboutMethods(complaint)
  }

  /// The settings in the files, and the first file that could not be read.
  private func read() -> (settings: SSHSettings, gap: SSHReading.Gap?) {
    var gap: SSHReading.Gap?
    func note(_ path: String) { gap = gap ?? SSHReading.Gap(path: path, number: errno) }
    guard let text = read(file) else {
      note(file)
      return (SSHSettings(""), gap)
    }
    let settings = SSHSettings(text) { pattern in
      paths(pattern, unread: note).compactMap { path in
        let text = read(path)
        if text == nil { note(path) }
        return text
      }
    }
    return (settings, gap)
  }

  /// The files that a pattern of an Include names, in order.
  ///
  /// - Parameter unread: called with the name of a folder that could not be read.
  private func paths(_ pattern: String, unread: (String) -> Void) -> [String] {
    let path = pattern.hasPrefix("/") ? pattern : folder(of: file) + "/" + pattern
    // SAFETY: the pattern lives for the call, and what it fills is freed once; each name is NUL-terminated, and there are as many
    // as its count says. The handler gets a name and a number, and stops at a folder that may not be read.
    var found = unsafe glob_t()
    let end = unsafe glob(path, 0, { _, number in number == EACCES ? 1 : 0 }, &found)
    defer { unsafe globfree(&found) }
    if end == GLOB_ABORTED {
      errno = EACCES
      unread(path)
    }
    guard end == 0 else { return [] }
    return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
      unsafe found.gl_pathv[index].map { unsafe String(cString: $0) }
    }
  }

  private func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

  /// The text of a file; empty for a folder, which sshd opens but reads nothing from.
  private func read(_ path: String) -> String? {
    if case .success(let state) = FileState.of(path), state.kind == S_IFDIR { return "" }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return PAMDirectory(path: folder(of: path)).bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// What could be determined about sshd's settings.
enum SSHReading {
  /// A file that could not be read; the system's error number.
  struct Gap: Equatable, Sendable {
    let path: String
    let number: CInt
  }

  /// The settings.
  struct Known {
    var everybody: SSHSettings
    /// The settings for people, if Match blocks examine them.
    var people: [(name: String, settings: SSHSettings)] = []
    /// People for whom sshd refuses its configuration, and its own line about it.
    var refused: [(name: String, line: String?)] = []
    /// How many people were not examined.
    var left = 0
    /// The criteria of Match blocks that were not evaluated.
    var unevaluated: [String]
    /// sshd's own line, if it did not report its settings; the settings are then those of the files.
    var complaint: String?

    /// The settings for a person.
    func settings(of name: String) -> SSHSettings { people.first { $0.name == name }?.settings ?? everybody }
  }

  /// There is no sshd.
  case absent
  /// sshd refuses its configuration; its own line.
  case refused(String)
  /// sshd can use none of the host's keys; its own line, or the setting.
  case keyless(String)
  case unread(Gap)
  case read(Known)
}
