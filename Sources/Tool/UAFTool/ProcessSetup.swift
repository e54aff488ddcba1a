import Glibc
import TerminalPrompts

/// Corrects what this process inherits from its caller, before anything else happens.
enum ProcessSetup {
  /// Opens descriptors 0 to 2 if they are closed, so that no socket ever gets one of these numbers.
  ///
  /// Sets the default for SIGCHLD, so that this program can wait for a helper that it starts. Makes new files accessible only
  /// to the owner.
  static func prepare() {
    while true {
      // SAFETY: a literal path.
      let opened = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
      if opened < 0 { break }
      if opened > STDERR_FILENO {
        close(opened)
        break
      }
      _ = fcntl(opened, F_SETFD, 0)
    }
    _ = signal(SIGCHLD, SIG_DFL)
    umask(0o077)
  }

  /// Opens the terminal of the session, or duplicates standard input if that terminal cannot be opened.
  static func openTerminal() -> CInt? {
    if let own = openSessionTerminal() { return own }
    let copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    return copy >= 0 ? copy : nil
  }

  /// Opens the terminal of the session; nil if there is none.
  static func openSessionTerminal() -> CInt? {
    // SAFETY: a literal path.
    let own = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    return own >= 0 ? own : nil
  }

  /// The name of the terminal on standard input.
  ///
  /// `/dev/tty` itself would tell a reader of the log nothing.
  static func terminalName(_ terminal: CInt) -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: 256)
    for descriptor in [STDIN_FILENO, terminal] {
      // SAFETY: the buffer is as long as announced.
      if unsafe ttyname_r(descriptor, &buffer, buffer.count) == 0 { return bytes(of: buffer) }
    }
    return nil
  }

  /// The locale for messages, found by the rules of POSIX; nil if none is set or its name is too long for a packet.
  static func locale() -> [UInt8]? {
    locale("LC_MESSAGES").flatMap { $0.utf8.count <= 64 ? Array($0.utf8) : nil }
  }

  /// What `terminal` can show, according to the environment.
  static func display(_ terminal: CInt?) -> TerminalDisplay {
    let type = variable("TERM")
    let encoding = locale("LC_CTYPE").map { $0.lowercased() } ?? ""
    return TerminalDisplay(
      isDumb: type == nil || type == "dumb",
      isUTF8: encoding.contains("utf-8") || encoding.contains("utf8"),
      usesColours: terminal.map(usesColours) ?? false)
  }

  private static func locale(_ category: String) -> String? {
    ["LC_ALL", category, "LANG"].lazy.compactMap(variable).first
  }

  /// A variable of the environment; nil if it is empty or not set.
  static func variable(_ name: String) -> String? {
    // SAFETY: getenv gives NULL or a NUL-terminated text that stays until the environment is changed, which nothing here does.
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Whether `descriptor` is a terminal whose owner has not switched colours off (NO_COLOR).
  static func usesColours(_ descriptor: CInt) -> Bool {
    // SAFETY: only the existence of a value is checked.
    let isUnwanted = unsafe getenv("NO_COLOR") != nil
    return isatty(descriptor) == 1 && !isUnwanted
  }

  /// The working directory; `/` if it cannot be determined.
  static func workingDirectory() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: the buffer is as long as announced.
    guard unsafe getcwd(&buffer, buffer.count) != nil else { return "/" }
    return String(decoding: bytes(of: buffer), as: UTF8.self)
  }

  private static func bytes(of buffer: [CChar]) -> [UInt8] {
    buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }
}
