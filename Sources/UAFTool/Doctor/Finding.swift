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
  /// What it is called; nil where nothing is wrong.
  let id: FindingID?
  /// What was looked at, and what it is like.
  let text: String
  /// What to do about it.
  let remedy: String?

  private init(_ level: Level, _ id: FindingID?, _ text: String, _ remedy: String?) {
    self.level = level
    self.id = id
    self.text = text
    self.remedy = remedy
  }

  static func ok(_ text: String) -> Finding { Finding(.ok, nil, text, nil) }
  static func warning(_ id: FindingID, _ text: String, do remedy: String) -> Finding {
    Finding(.warning, id, text, remedy)
  }
  static func alarm(_ id: FindingID, _ text: String, do remedy: String) -> Finding {
    Finding(.alarm, id, text, remedy)
  }
  static func failure(_ id: FindingID, _ text: String, do remedy: String) -> Finding {
    Finding(.failure, id, text, remedy)
  }
  static func skipped(_ text: String, do remedy: String = "run it as root") -> Finding {
    Finding(.skipped, nil, text, remedy)
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
    let line =
      mark + " " + ShownText.line(text + (remedy.map { " : \($0)" } ?? "") + (id.map { " [\($0.rawValue)]" } ?? ""))
    guard colours, level == .failure || level == .alarm else { return line }
    return "\u{1B}[31m\(line)\u{1B}[0m"
  }
}
