import Authenticator

extension AttemptOrigin {
  /// How the log names it.
  var logName: String {
    switch self {
    case .local: "local"
    case .remote: "remote"
    case .otherUser: "other-user"
    }
  }
}
