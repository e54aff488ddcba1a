/// What else decides the PAM code of a result, for the special cases of the table of outcomes.
public struct PAMContext: Equatable, Sendable {
  /// The half of PAM that asked.
  public enum Stage: CaseIterable, Sendable {
    /// `auth`.
    case authentication
    /// `password`.
    case password
  }

  /// The half of PAM that asked.
  public var stage: Stage

  /// Whether the server must not be reported as away: a machine answered at its address in this call, or this machine
  /// lacked the means to ask.
  public var tlsHandshakeCompleted: Bool

  /// Whether the result comes from the server's answer, and not from this machine.
  public var spokenByServer: Bool

  /// Whether wrong, locked, unregistered and unknown must look alike.
  public var hideState: Bool

  /// Whether root's PAM stack passes accounts that never registered on to the next module.
  public var nouserok: Bool

  /// Whether this machine never had a row of the account: no key, no counter, no tombstone.
  public var neverHadRow: Bool

  /// Whether root wrote the invalid value: in the configuration or the module's arguments.
  public var isRootsFault: Bool

  /// Whether the stack's other modules change the password of an account without a key here.
  public var leavesToOthers: Bool

  /// Makes a context; an omitted value is the stricter one.
  public init(
    stage: Stage = .authentication, tlsHandshakeCompleted: Bool = true, spokenByServer: Bool = false,
    hideState: Bool = false, nouserok: Bool = false, neverHadRow: Bool = false, isRootsFault: Bool = false,
    leavesToOthers: Bool = false
  ) {
    self.stage = stage
    self.tlsHandshakeCompleted = tlsHandshakeCompleted
    self.spokenByServer = spokenByServer
    self.hideState = hideState
    self.nouserok = nouserok
    self.neverHadRow = neverHadRow
    self.isRootsFault = isRootsFault
    self.leavesToOthers = leavesToOthers
  }
}
