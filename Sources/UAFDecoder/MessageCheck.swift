/// One thing about a message that was verified, or could not be.
public struct MessageCheck: Equatable, Sendable {
  /// How it ended.
  public enum Outcome: Equatable, Sendable {
    case holds
    case fails
    /// The message alone does not tell.
    case unknown
  }

  /// How it ended.
  public let outcome: Outcome
  /// What was looked at, as a statement.
  public let statement: String

  init(_ outcome: Outcome, _ statement: String) {
    self.outcome = outcome
    self.statement = statement
  }

  init(_ holds: Bool, _ statement: String) {
    self.init(holds ? .holds : .fails, statement)
  }

  var line: String {
    switch outcome {
    case .holds: "ok    \(statement)"
    case .fails: "FAIL  \(statement)"
    case .unknown: "?     \(statement)"
    }
  }
}
