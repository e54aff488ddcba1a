import Glibc

/// Whether the one who called a host sits at this machine, as systemd-logind says.
///
/// The host's address alone is not enough: sudo in a session of sshd names none.
enum SeatCheck {
  /// Where logind keeps its sessions.
  static let sessions = "/run/systemd/sessions"

  /// Whether a process is not known to belong to a session from afar.
  ///
  /// A process of no session, and a machine without logind, count as at the seat: what the host says decides then.
  ///
  /// - Parameter processes: where the kernel shows processes.
  static func isAtSeat(_ process: Int32, processes: String = "/proc", sessions: String = sessions) -> Bool {
    guard let group = text("\(processes)/\(process)/cgroup"), let session = session(in: group),
      let state = text("\(sessions)/\(session)")
    else { return true }
    return !state.split(separator: "\n").contains("REMOTE=1")
  }

  /// The session that a process's control group is of.
  static func session(in group: String) -> String? {
    for part in group.split(whereSeparator: { $0 == "/" || $0 == "\n" }) {
      guard part.hasPrefix("session-"), part.hasSuffix(".scope") else { continue }
      let name = part.dropFirst("session-".count).dropLast(".scope".count)
      guard !name.isEmpty, name.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }) else {
        continue
      }
      return String(name)
    }
    return nil
  }

  private static func text(_ path: String) -> String? {
    // SAFETY: the path lives for the call; the descriptor is closed by the `defer`.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    // SAFETY: the array has room for as many bytes as are asked for.
    let count = unsafe read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
