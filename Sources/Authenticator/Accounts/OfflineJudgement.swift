/// Whether the server's last answer is valid without the server.
public enum OfflineJudgement: Equatable, Sendable {
  /// It was a success, so long ago.
  case holds(age: Duration)
  /// It does not.
  case refused(Reason)

  /// Why it does not; for the log, never for the person.
  public enum Reason: Equatable, Sendable {
    /// The last answer was no success, or there was none since the secret was set.
    case noYes
    /// The server's addresses or its verdict key have changed.
    case otherTerms
    /// It was given for other authenticators, or for more of them.
    case otherAuthenticator
    /// It was given before the machine was started.
    case otherBoot
    /// A clock shows less than it has shown before.
    case clockSetBack
    /// It is too old.
    case tooOld
  }
}

extension OfflineJudgement.Reason: CustomStringConvertible {
  /// What the log says.
  public var description: String {
    switch self {
    case .noYes: "the server's last answer was no yes"
    case .otherTerms: "the server's last answer came from other addresses, or was signed with another key"
    case .otherAuthenticator: "the server's last answer was for another authenticator, or for several"
    case .otherBoot: "the server has not answered since the machine was started"
    case .clockSetBack: "a clock shows less than it did before"
    case .tooOld: "the server's last answer is too old"
    }
  }
}
