import Testing

/// How a login must end if it cannot be decided: PAM's code, the text for the person, and the log line.
struct Refusal: Sendable, CustomTestStringConvertible {
  let code: PAMCode
  /// The only text that the person is shown.
  let text: String
  /// A text that a line of the log must contain.
  let log: String
  /// Whether the person got a prompt before the refusal.
  var asks = false

  var testDescription: String { log }

  /// Facility authpriv (RFC 5424, section 6.2.1): other users may read what is logged to other facilities.
  private static let facility = 10

  /// Carries out a login and compares the result.
  ///
  /// On a machine without mount namespaces the log is not checked, and ``LogTests`` is skipped.
  func check(_ sourceLocation: SourceLocation = #_sourceLocation, _ login: () throws -> Login) throws {
    if SystemLog.isPossible { _ = try SystemLog.shared().take() }
    let login = try login()
    #expect(login.code == code, sourceLocation: sourceLocation)
    #expect(login.errors == [text], sourceLocation: sourceLocation)
    #expect(login.prompts.count == (asks ? 1 : 0), sourceLocation: sourceLocation)
    guard SystemLog.isPossible else { return }
    let lines = try SystemLog.shared().take()
    // The line names the PAM service.
    #expect(lines.contains { $0.contains(log) && $0.contains("demo") }, "\(lines)", sourceLocation: sourceLocation)
    #expect(lines.allSatisfy { Self.facility(of: $0) == Self.facility }, "\(lines)", sourceLocation: sourceLocation)
    #expect(!lines.contains { $0.contains(Scene.passcode) }, "\(lines)", sourceLocation: sourceLocation)
  }

  private static func facility(of line: String) -> Int? {
    line.firstMatch(of: /^<(\d+)>/).flatMap { Int($0.1) }.map { $0 / 8 }
  }
}
