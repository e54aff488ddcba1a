import Glibc

/// Checks whether the person who called a host sits at this machine.
///
/// The kernel knows which session a process belongs to: at login, pam_loginuid has it number the session, and no process
/// without root privileges can get a different number. For each number, systemd-logind has a record, which only root can write.
/// The cgroup of a process is no proof, because the person can choose it (`systemd-run --user`).
struct SeatCheck {
  /// The folder of logind's session records.
  static let sessions = "/run/systemd/sessions"
  /// The seat of the machine's own screen, keyboard and sensor.
  private static let seat = "seat0"
  /// The number that the kernel shows for a process that does not belong to a session.
  private static let unset = String(UInt32.max)
  private static let longest = 8192

  private let processes: String
  private let sessions: String
  private let owner: uid_t

  /// - Parameters:
  ///   - processes: the folder in which the kernel shows processes.
  ///   - sessions: the folder of logind's records.
  ///   - owner: the uid that must own the records.
  init(processes: String = "/proc", sessions: String = sessions, owner: uid_t = 0) {
    self.processes = processes
    self.sessions = sessions
    self.owner = owner
  }

  /// Whether it is proved that a host's process is used at the seat.
  ///
  /// It is proved if logind has recorded the session of the process as local, on the seat, and in the foreground. A process
  /// without a session also counts as proved if root runs it, nobody else called it, and it states a virtual console as its
  /// terminal. This is for login and the display managers, which authenticate people before there is a session.
  ///
  /// - Parameters:
  ///   - process: the host's process ID.
  ///   - terminal: the terminal that the host stated, if root runs the host and nobody else called it; otherwise nil.
  func isAtSeat(_ process: Int32, terminal: [UInt8]?) -> Bool {
    guard let session = number("sessionid", of: process), session != Self.unset else {
      return terminal.map(Self.isVirtualConsole) ?? false
    }
    guard let person = number("loginuid", of: process), let record = record(of: session) else { return false }
    return record["AUDIT"] == session && record["UID"] == person && record["SEAT"] == Self.seat
      && record["REMOTE"] == "0" && record["ACTIVE"] == "1"
  }

  /// Whether a terminal is `tty1` to `tty63`, with or without `/dev/`.
  private static func isVirtualConsole(_ terminal: [UInt8]) -> Bool {
    let name = String(decoding: terminal, as: UTF8.self)
    let device = name.hasPrefix("/dev/") ? name.dropFirst("/dev/".count) : name[...]
    // This excludes `tty0`, which means the console in the foreground, and any other spelling of the number.
    return (1...63).contains { device == "tty\($0)" }
  }

  private func number(_ file: String, of process: Int32) -> String? {
    guard let text = text("\(processes)/\(process)/\(file)", ownedBy: nil), let number = UInt32(text) else {
      return nil
    }
    return String(number)
  }

  /// Logind's record of a session; nil if there is none, or if a key occurs in it twice.
  private func record(of session: String) -> [String: String]? {
    guard let text = text("\(sessions)/\(session)", ownedBy: owner) else { return nil }
    var found: [String: String] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let equals = line.firstIndex(of: "=") else { return nil }
      let value = String(line[line.index(after: equals)...])
      guard found.updateValue(value, forKey: String(line[..<equals])) == nil else { return nil }
    }
    return found
  }

  /// The whole content of a file; nil for a link, for a file that is too long, and for one that anybody but `owner` can write.
  private func text(_ path: String, ownedBy owner: uid_t?) -> String? {
    // SAFETY: the path lives for the call; the descriptor is closed by the `defer`.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    if let owner {
      var info = stat()
      // SAFETY: `info` is a stat.
      guard unsafe fstat(file, &info) == 0, info.st_uid == owner, info.st_mode & 0o022 == 0 else { return nil }
    }
    var bytes = [UInt8](repeating: 0, count: Self.longest)
    // SAFETY: the array has room for the number of bytes asked for.
    let count = unsafe read(file, &bytes, bytes.count)
    guard (1..<bytes.count).contains(count) else { return nil }
    return String(validating: bytes.prefix(count), as: UTF8.self)
  }
}
