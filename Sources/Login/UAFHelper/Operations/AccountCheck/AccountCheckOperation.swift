import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

/// The account stage: refuses an account that the server has disabled or locked, however the person authenticated.
///
/// It shows no prompts. ``AccountStateMachine`` makes the decision.
struct AccountCheckOperation: CallOperation {
  let call: Call
  let policy: CallPolicy
  let accounts: AccountAccess
  let server: ServerAccess
  let log: CallLog
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    guard let demand = policy.arguments.accountCheck else {
      throw .configuration("the account stage was requested without the argument account_check")
    }
    var why: [String] = []
    let (account, stored) = held(&why)
    var machine = AccountStateMachine(
      demand, mayAsk: account != nil && policy.asksForState, stored: stored, isDeregistered: isDeregistered(account),
      wallSeconds: now().wallSeconds)
    var action = machine.take(.begun)
    var isTold = false
    while true {
      switch action {
      case .ask: action = machine.take(told(account, &why, &isTold))
      case .judge: action = machine.take(judged(account, &why))
      case .allow(let ground):
        if ground != .told { log.write(.state, describe(ground, why), ground == .notKnown ? .warning : .notice) }
        if case .remembered(let age) = ground { return Success(offlineAge: age) }
        return Success()
      case .refuse(let reason): throw ending(reason, why, isTold)
      }
    }
  }

  /// The account's file and the state that the server last reported; nil for each that does not exist or cannot be read.
  private func held(_ why: inout [String]) -> (AccountFile?, AccountStanding?) {
    do throws(Ending) {
      let uid = try call.caller.requireAccount()
      let directory = try accounts.openState()
      guard let account = try accounts.openForState(uid, in: directory) else {
        why.append("the account was never registered on this machine")
        return (nil, nil)
      }
      // A record that cannot be read is ignored; the server can still be asked.
      do throws(StateError) { return (account, try StandingRecord.of(account)?.standing) } catch {
        why.append("the server's last statement cannot be read: \(error)")
        return (account, nil)
      }
    } catch {
      why.append(error.log)
      return (nil, nil)
    }
  }

  private func told(_ account: AccountFile?, _ why: inout [String], _ isTold: inout Bool) -> AccountStateMachine.Event {
    guard let account else { return .notTold }
    do throws(AccountStateSilence) {
      let record = try AccountStateQuestion(call: call, server: server, now: now).ask(of: account)
      isTold = true
      if record.standing == .active { accounts.noteAllowed() }
      // The server's answer applies to this call even if it cannot be stored.
      do throws(StateError) { try record.store(in: account) } catch {
        log.write(.state, "the server's statement about the account could not be stored: \(error)", .warning)
      }
      return .told(record.standing)
    } catch {
      why.append(error.log)
      if case .machineUnknown = error { return .machineUnknown }
      return .notTold
    }
  }

  /// Whether the account was registered here and no longer has a key; true even if its keys cannot be read.
  private func isDeregistered(_ account: AccountFile?) -> Bool {
    guard let account else { return false }
    return (try? account.keys().isEmpty) ?? true
  }

  private func judged(_ account: AccountFile?, _ why: inout [String]) -> AccountStateMachine.Event {
    guard let account, policy.settings.general.offline == .allow,
      let limit = policy.settings.general.offlineMaximumAge
    else {
      why.append("offline is not allowed")
      return .judged(.refused(.noYes))
    }
    do {
      let terms = try server.terms(server.clientSettings(server.settings()).authentication)
      let judgement = try StandingRecord.judge(account, at: now(), maximumAge: limit, terms: terms)
      if case .refused(let reason) = judgement { why.append("\(reason)") }
      return .judged(judgement)
    } catch {
      why.append("the server's last statement cannot be used: \(error)")
      return .judged(.refused(.noYes))
    }
  }

  private func describe(_ ground: AccountStateMachine.Ground, _ why: [String]) -> String {
    switch ground {
    case .told: "the server says that the account is active"
    case .remembered: "the server last said that the account is active, but did not reply now: \(told(why))"
    case .notKnown: "allowed, because nothing says that the account is disabled: \(told(why))"
    }
  }

  private func told(_ why: [String]) -> String {
    why.isEmpty ? "the server is not asked for this service" : why.joined(separator: "; ")
  }

  private func ending(_ reason: AccountRefusal, _ why: [String], _ isTold: Bool) -> Ending {
    // If the server itself reported the state just now, this counts as its refusal, and its last success becomes invalid for
    // logins without it.
    let server = isTold ? ServerPart(hasSpoken: true, hasRefused: true) : ServerPart()
    let source = isTold ? "the server says" : "the server last said, and did not reply now,"
    let log =
      switch reason {
      case .disabled, .locked: "\(source) that the account is \(reason)"
      case .notKnown: "nothing says that the account is active: \(told(why))"
      }
    return Ending(.forbidden, because: reason.cause, log: log, server: server)
  }
}

/// Decides whether the account stage lets an account through: it turns events into actions, and does no input or output itself.
///
/// If the server answers now, its answer decides; otherwise its last answer does. A disabled account stays disabled until the
/// server says otherwise, and a lock lasts until its end. An active account stays active for as long as a login without the
/// server would be allowed. If there is no answer at all, root's argument `account_check` decides. There is one exception. If
/// the keys of an account were deregistered here, and the server does not know the machine for the account any longer, the
/// argument does not matter: the account is refused unless it still counts as active. No login would bring a new machine
/// secret, so the machine could otherwise never learn that the server has disabled the account.
struct AccountStateMachine {
  /// Something that has happened.
  enum Event: Equatable {
    /// The call begins.
    case begun
    /// The server has just reported this state.
    case told(AccountStanding)
    /// No state could be obtained from the server.
    case notTold
    /// The server does not know this machine for the account.
    case machineUnknown
    /// For an account that was active when the server was last asked: whether it still counts as active.
    case judged(OfflineJudgement)
  }

  /// The next thing to do.
  enum Action: Equatable {
    /// Ask the server.
    case ask
    /// Find out whether the server's last answer is still valid.
    case judge
    /// Let the account through.
    case allow(Ground)
    /// Refuse the account.
    case refuse(AccountRefusal)
  }

  /// Why an account is let through.
  enum Ground: Equatable {
    /// The server reports now that the account is active.
    case told
    /// The server reported earlier that the account is active; this long ago.
    case remembered(age: Duration)
    /// Nothing is known that speaks against the account.
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
  ///   - mayAsk: whether the server may be asked; false for a service that runs without a person.
  ///   - stored: the state that the server last reported; nil if nothing is stored.
  ///   - isDeregistered: whether the account was registered here and no longer has a key.
  ///   - wallSeconds: the current time, in seconds since 1970.
  init(
    _ demand: AccountCheck, mayAsk: Bool, stored: AccountStanding?, isDeregistered: Bool = false, wallSeconds: Int64
  ) {
    self.isDeregistered = isDeregistered
    self.demand = demand
    self.mayAsk = mayAsk
    self.stored = stored
    self.wallSeconds = wallSeconds
  }

  /// Processes an event.
  ///
  /// If an event comes out of turn or after the end, the account is refused.
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
    // Only if root requires an active account does it matter whether the last answer is still valid.
    guard stored == .active, demand == .demandsActive else { return undecided() }
    phase = .judging
    return .judge
  }

  private mutating func undecided() -> Action {
    phase = .ended
    return demand == .demandsActive ? .refuse(.notKnown) : .allow(.notKnown)
  }
}

/// Asks the configured server for the state of the call's account.
struct AccountStateQuestion {
  let call: Call
  let server: ServerAccess
  let now: () -> BootTime

  /// Asks the server.
  ///
  /// - Returns: the state that the server reports, as a record to be stored.
  /// - Throws: ``AccountStateSilence``.
  func ask(of account: AccountFile) throws(AccountStateSilence) -> StandingRecord {
    let answer: Result<StandingRecord, AccountStateSilence>
    do throws(Ending) { answer = try self.answer(of: account) } catch { throw .notHeard(error.log) }
    return try answer.get()
  }

  private func answer(of account: AccountFile) throws(Ending) -> Result<StandingRecord, AccountStateSilence> {
    let settings = try server.settings()
    guard let publicKeys = server.verdictKeys else {
      throw unknown("server.require_signed_verdict and server.verdict_key are needed to trust what the server says")
    }
    let endpoint = try server.clientSettings(settings).authentication
    guard let url = OwnRoute.account.url(beside: endpoint.requestURL) else {
      throw unknown("server.request_url does not end in /get, so it is unknown where to ask")
    }
    guard let record = try server.machine(settings, of: account) else {
      throw unknown("the server has given this machine no secret for the account yet; a login with pam_uaf brings one")
    }
    let asked = now()
    guard let prover = try? MachineProver(record, from: call.caller.origin, now: now),
      let made = prover.make(.state(of: account.identity.serverUserName))
    else { throw unknown("no proof could be sent to the server") }
    let network = try server.network(settings, for: account, isForLogin: true)
    let flow = AccountStateFlow(made.proof, publicKeys: publicKeys)
    let terms = try server.terms(endpoint)
    do throws(AccountStateFlow.Fault) {
      let state = try flow.ask(url, header: made.text, over: network) { now().wallSeconds }
      return .success(StandingRecord(Self.standing(state), asked: asked, terms: terms))
    } catch { return .failure(error == .status(403) ? .machineUnknown("\(error)") : .notHeard("\(error)")) }
  }

  private func unknown(_ log: String) -> Ending { Ending(.noAnswer, log: log) }

  private static func standing(_ state: AccountState) -> AccountStanding {
    switch state {
    case .active: .active
    case .disabled: .disabled
    case .locked(let until): .locked(until: until)
    }
  }
}

/// Why the server's state of an account is not known; for the log only, never for the person.
enum AccountStateSilence: Error {
  /// The server was not asked, did not answer, or its answer is not trusted.
  case notHeard(String)
  /// The server answered that it does not know this machine for the account.
  case machineUnknown(String)

  /// The reason, in words for the log.
  var log: String {
    switch self {
    case .notHeard(let log), .machineUnknown(let log): log
    }
  }
}
