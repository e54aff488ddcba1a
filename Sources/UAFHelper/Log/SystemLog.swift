import Glibc

/// The system's log, facility authpriv, opened once before anything is asked.
struct SystemLog: LogSink {
  // SAFETY: openlog keeps the pointer; a static string lives as long as the process.
  private static let name: StaticString = "pam-uaf"

  init() {
    // SAFETY: a static string ends with a NUL, which the capacity counts too.
    unsafe Self.name.utf8Start.withMemoryRebound(to: CChar.self, capacity: Self.name.utf8CodeUnitCount + 1) {
      unsafe openlog($0, LOG_PID | LOG_NDELAY, LOG_AUTHPRIV)
    }
  }

  func write(_ line: LogLine, _ level: LogLevel) {
    let priority =
      switch level {
      case .debug: LOG_DEBUG
      case .notice: LOG_NOTICE
      case .warning: LOG_WARNING
      case .error: LOG_ERR
      }
    // SAFETY: the line is an argument of "%s", never a format; the pointer is valid for the call.
    unsafe line.description.withCString { text in
      unsafe withVaList([text]) { unsafe vsyslog(priority, "%s", $0) }
    }
  }
}
