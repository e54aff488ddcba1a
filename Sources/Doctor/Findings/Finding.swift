import FidoResults
import Wording

/// The result of one check of `doctor`.
package struct Finding: Equatable {
  /// How bad it is.
  package enum Level: Equatable {
    case ok
    /// Works, but somebody should know.
    case warning
    /// As warning, and shown in red where there are colours.
    case alarm
    case failure
    /// Not checked, because the caller has no right to.
    case skipped
  }

  package let level: Level
  /// Its name; nil where nothing is wrong.
  package let id: FindingID?
  private let english: FindingText
  private let korean: FindingText

  private init(_ level: Level, _ id: FindingID?, _ text: some FindingCatalogue) {
    self.level = level
    self.id = id
    english = text.english
    korean = text.korean
  }

  package static func ok(_ text: some FindingCatalogue) -> Finding { Finding(.ok, nil, text) }
  package static func warning(_ id: FindingID, _ text: some FindingCatalogue) -> Finding { Finding(.warning, id, text) }
  package static func alarm(_ id: FindingID, _ text: some FindingCatalogue) -> Finding { Finding(.alarm, id, text) }
  package static func failure(_ id: FindingID, _ text: some FindingCatalogue) -> Finding { Finding(.failure, id, text) }
  package static func skipped(_ text: some FindingCatalogue) -> Finding { Finding(.skipped, nil, text) }

  /// Its text.
  package func text(in language: Language) -> FindingText {
    switch language {
    case .english: english
    case .korean: korean
    }
  }

  /// Its line of the report; the mark and the id are the same in every language, for scripts.
  package func line(in language: Language, colours: Bool) -> String {
    let mark =
      switch level {
      case .ok: "ok  "
      case .warning, .alarm: "warn"
      case .failure: "FAIL"
      case .skipped: "skip"
      }
    let text = text(in: language)
    let line =
      mark + " "
      + ShownText.line(text.what + (text.remedy.map { " : \($0)" } ?? "") + (id.map { " [\($0.rawValue)]" } ?? ""))
    guard colours, level == .failure || level == .alarm else { return line }
    return "\u{1B}[31m\(line)\u{1B}[0m"
  }
}
