/// How a result becomes a PAM code: the last column of the table of outcomes.
enum PAMRule: Equatable, Sendable {
  /// Success of `auth`, and of no other stage.
  case authenticated
  /// Success of `password`, and of no other stage.
  case valueChanged
  /// One code in every context.
  case always(PAMCode)
  /// An invalid parameter: root's configuration, or a value that somebody else sent.
  case fault
  /// A wrong name; PAM_AUTH_ERR with `hide_state`.
  case unknownUser
  /// There is no key of the account here.
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
    // A stack that continues while the server is down must not continue for an account that the server refused.
    case _ where context.spokenByServer: return .authenticationError
    case .always(let code): return code
    // A stack may continue with the password after root's mistake, so nobody else may cause this code.
    case .fault: return context.isRootsFault ? .serviceError : .authenticationError
    case .unknownUser: return context.hideState ? .authenticationError : .userUnknown
    case .notRegistered:
      // Only in the password stage do the stack's other modules have something to change.
      if context.leavesToOthers, context.stage == .password { return .ignore }
      if context.hideState { return .authenticationError }
      return context.nouserok && context.neverHadRow ? .ignore : .userUnknown
    case .locked: return context.hideState ? .authenticationError : .maximumTries
    case .noAnswer:
      return context.mustNotReportUnavailable ? .authenticationError : .authenticationInformationUnavailable
    }
  }
}

/// What decides the PAM code of a result in addition to its number, for the special cases of the table of outcomes.
public struct PAMContext: Equatable, Sendable {
  /// The PAM stage in which the module was called.
  public enum Stage: CaseIterable, Sendable {
    /// `auth`.
    case authentication
    /// `password`.
    case password
  }

  /// The PAM stage in which the module was called.
  public var stage: Stage

  /// Whether the server must not be reported as unreachable: a machine answered at its address in this call, or this machine
  /// lacked the means to ask.
  public var mustNotReportUnavailable: Bool

  /// Whether the result comes from the server's answer, not from this machine.
  public var spokenByServer: Bool

  /// Whether wrong, locked, unregistered and unknown must look alike.
  public var hideState: Bool

  /// Whether root's PAM stack passes accounts that never registered on to the next module.
  public var nouserok: Bool

  /// Whether this machine never had a record of the account: no key, no counter, no tombstone.
  public var neverHadRow: Bool

  /// Whether root wrote the invalid value: in the configuration or the module's arguments.
  public var isRootsFault: Bool

  /// Whether the stack's other modules change the password of an account without a key here.
  public var leavesToOthers: Bool

  /// Makes a context; an omitted value is the stricter one.
  public init(
    stage: Stage = .authentication, mustNotReportUnavailable: Bool = true, spokenByServer: Bool = false,
    hideState: Bool = false, nouserok: Bool = false, neverHadRow: Bool = false, isRootsFault: Bool = false,
    leavesToOthers: Bool = false
  ) {
    self.stage = stage
    self.mustNotReportUnavailable = mustNotReportUnavailable
    self.spokenByServer = spokenByServer
    self.hideState = hideState
    self.nouserok = nouserok
    self.neverHadRow = neverHadRow
    self.isRootsFault = isRootsFault
    self.leavesToOthers = leavesToOthers
  }
}

/// Codes for PAM, with the numbers of Linux-PAM's `_pam_types.h`.
///
/// Written as numbers because no target of the login path but the shim knows libpam.
public enum PAMCode: Int32, CaseIterable, Sendable {
  /// PAM_SUCCESS.
  case success = 0
  /// PAM_SERVICE_ERR: root's configuration or module arguments are wrong, and there is no other cause. Only root can cause it.
  case serviceError = 3
  /// PAM_SYSTEM_ERR: this machine failed.
  case systemError = 4
  /// PAM_AUTH_ERR: refused.
  case authenticationError = 7
  /// PAM_AUTHINFO_UNAVAIL: no connection to the server was made, and this machine lacked nothing that a connection needs.
  case authenticationInformationUnavailable = 9
  /// PAM_USER_UNKNOWN.
  case userUnknown = 10
  /// PAM_MAXTRIES: locked.
  case maximumTries = 11
  /// PAM_NEW_AUTHTOK_REQD: a stale secret was verified.
  case newTokenRequired = 12
  /// PAM_CRED_UNAVAIL: the person chose to log in another way.
  case credentialsUnavailable = 15
  /// PAM_CONV_ERR: the conversation ended.
  case conversationError = 19
  /// PAM_AUTHTOK_ERR: a secret was not changed.
  case tokenError = 20
  /// PAM_IGNORE: `nouserok`, and the account never registered here.
  case ignore = 25
}
