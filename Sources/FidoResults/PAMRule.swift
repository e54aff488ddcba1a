/// How a result becomes a PAM code: the last column of the table of outcomes.
enum PAMRule: Equatable, Sendable {
  /// Success of `auth`, and of nothing else.
  case authenticated
  /// Success of `password`, and of nothing else.
  case valueChanged
  /// The same code whatever the context.
  case always(PAMCode)
  /// An invalid parameter: root's configuration, or something that anybody else sent.
  case fault
  /// A wrong name; PAM_AUTH_ERR with `hide_state`.
  case unknownUser
  /// No key of the account here.
  case notRegistered
  /// Locked; PAM_AUTH_ERR with `hide_state`.
  case locked
  /// No answer from the server.
  case noAnswer

  func code(in context: PAMContext) -> PAMCode {
    switch self {
    case .authenticated:
      return context.stage == .authentication ? .success : .authenticationError
    case .valueChanged:
      return context.stage == .password ? .success : .authenticationError
    // A stack that goes on while the server is down must not go on for an account that the server refused.
    case _ where context.spokenByServer: return .authenticationError
    case .always(let code): return code
    // A stack may go on to the password after root's mistake, so nobody else may cause this code.
    case .fault: return context.isRootsFault ? .serviceError : .authenticationError
    case .unknownUser: return context.hideState ? .authenticationError : .userUnknown
    case .notRegistered:
      // Only in the password stage do the other modules have work.
      if context.leavesToOthers, context.stage == .password { return .ignore }
      if context.hideState { return .authenticationError }
      return context.nouserok && context.neverHadRow ? .ignore : .userUnknown
    case .locked: return context.hideState ? .authenticationError : .maximumTries
    case .noAnswer:
      return context.tlsHandshakeCompleted ? .authenticationError : .authenticationInformationUnavailable
    }
  }
}
