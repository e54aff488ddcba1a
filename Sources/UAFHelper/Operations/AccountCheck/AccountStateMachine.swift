import Authenticator
import UAFConfiguration

/// Decides whether the account stage lets an account through: which step follows which, without input or output.
///
/// What the server says now decides. Without that, what it said last does: a disabled account stays disabled until the server
/// says something else, a lock stays until its time, and an active account is active for as long as a login without the server
/// would be good. Where nothing says either, root's argument decides. It does not for an account
/// whose keys were deregistered here, if the server does not know the machine for it any more: no login brings a new secret, so
/// it would never be heard of again.
struct AccountStateMachine {
  /// What has happened.
  enum Event: Equatable {
    /// The call begins.
    case begun
    /// The server has said this now.
    case told(AccountStanding)
    /// Nothing could be heard of it.
    case notTold
    /// The server does not know this machine for it.
    case machineUnknown
    /// Whether the account, active when the server was last asked, counts as active still.
    case judged(OfflineJudgement)
  }

  /// What is to be done next.
  enum Action: Equatable {
    /// Ask the server.
    case ask
    /// Find out whether what the server said last is good still.
    case judge
    /// Let the account through.
    case allow(Ground)
    /// Refuse it.
    case refuse(AccountRefusal)
  }

  /// Why an account is let through.
  enum Ground: Equatable {
    /// The server says now that it is active.
    case told
    /// The server said so, so long ago.
    case remembered(age: Duration)
    /// Nothing says that it is not.
    case notKnown
  }

  private enum Phase {
    case fresh, asked, judging, ended
  }

  private var demand: AccountCheck
  private let mayAsk: Bool
  private let stored: AccountStanding?
  private let isDeregistered: Bool
  private let wallSeconds: Int64
  private var phase = Phase.fresh

  /// - Parameters:
  ///   - mayAsk: whether the server may be asked: never for a service that nobody sits before.
  ///   - stored: what the server said last; nil if nothing is stored.
  ///   - isDeregistered: whether it was registered here, and has no key any more.
  ///   - wallSeconds: the time now, in seconds since 1970.
  init(
    _ demand: AccountCheck, mayAsk: Bool, stored: AccountStanding?, isDeregistered: Bool = false, wallSeconds: Int64
  ) {
    self.isDeregistered = isDeregistered
    self.demand = demand
    self.mayAsk = mayAsk
    self.stored = stored
    self.wallSeconds = wallSeconds
  }

  /// Takes an event; one out of turn refuses, and nothing follows the end but that.
  mutating func take(_ event: Event) -> Action {
    switch (phase, event) {
    case (.fresh, .begun) where mayAsk:
      phase = .asked
      return .ask
    case (.fresh, .begun), (.asked, .notTold): return remember()
    case (.asked, .machineUnknown):
      if isDeregistered { demand = .demandsActive }
      return remember()
    case (.asked, .told(let standing)):
      phase = .ended
      switch standing {
      case .active: return .allow(.told)
      case .disabled: return .refuse(.disabled)
      case .locked: return .refuse(.locked)
      }
    case (.judging, .judged(.holds(let age))):
      phase = .ended
      return .allow(.remembered(age: age))
    case (.judging, .judged(.refused)): return undecided()
    default:
      phase = .ended
      return .refuse(.notKnown)
    }
  }

  private mutating func remember() -> Action {
    phase = .ended
    if let reason = AccountRefusal(saidLast: stored, at: wallSeconds) { return .refuse(reason) }
    // Without the demand it makes no difference whether that is good still.
    guard stored == .active, demand == .demandsActive else { return undecided() }
    phase = .judging
    return .judge
  }

  private mutating func undecided() -> Action {
    phase = .ended
    return demand == .demandsActive ? .refuse(.notKnown) : .allow(.notKnown)
  }
}
