/// What one check of `doctor` came to.
struct Finding: Equatable {
  /// How bad it is.
  enum Level: Equatable {
    case ok
    /// Works, but somebody should know.
    case warning
    /// As warning, and shown in red where there are colours.
    case alarm
    case failure
    /// Not checked, because the caller may not.
    case skipped
  }

  let level: Level
  /// What was looked at, and what it is like.
  let text: String
  /// What to do about it.
  let remedy: String?

  private init(_ level: Level, _ text: String, _ remedy: String?) {
    self.level = level
    self.text = text
    self.remedy = remedy
  }

  static func ok(_ text: String) -> Finding { Finding(.ok, text, nil) }
  static func warning(_ text: String, do remedy: String) -> Finding { Finding(.warning, text, remedy) }
  static func alarm(_ text: String, do remedy: String) -> Finding { Finding(.alarm, text, remedy) }
  static func failure(_ text: String, do remedy: String) -> Finding { Finding(.failure, text, remedy) }
  static func skipped(_ text: String, do remedy: String = "run it as root") -> Finding {
    Finding(.skipped, text, remedy)
  }

  /// Its line of the report.
  func line(colours: Bool) -> String {
    let mark =
      switch level {
      case .ok: "ok  "
      case .warning, .alarm: "warn"
      case .failure: "FAIL"
      case .skipped: "skip"
      }
    let line = mark + " " + ShownText.line(text + (remedy.map { " : \($0)" } ?? ""))
    guard colours, level == .failure || level == .alarm else { return line }
    return "\u{1B}[31m\(line)\u{1B}[0m"
  }
}
