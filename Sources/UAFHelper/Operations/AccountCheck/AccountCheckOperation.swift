import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFWire

/// The account stage: refuses an account that the server has disabled or locked, whichever way its person got here.
///
/// It asks nobody for anything. ``AccountStateMachine`` decides.
struct AccountCheckOperation: CallOperation {
  let call: Call
  let policy: CallPolicy
  let accounts: AccountAccess
  let server: ServerAccess
  let log: CallLog
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    guard let demand = policy.arguments.accountCheck else {
      throw .configuration("the account stage was asked for without the argument account_check")
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

  /// The account's file and what is stored in it; nil for an account of which nothing can be read here.
  private func held(_ why: inout [String]) -> (AccountFile?, AccountStanding?) {
    do throws(Ending) {
      let uid = try call.caller.requireAccount()
      let directory = try accounts.openState()
      guard let account = try accounts.openForState(uid, in: directory) else {
        why.append("the account was never registered on this machine")
        return (nil, nil)
      }
      // What cannot be read says nothing; the server can still be asked.
      do throws(StateError) { return (account, try StandingRecord.of(account)?.standing) } catch {
        why.append("what the server said last cannot be read: \(error)")
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
      // What was said decides now, whether it can be kept or not.
      do throws(StateError) { try record.store(in: account) } catch {
        log.write(.state, "what the server says of the account could not be kept: \(error)", .warning)
      }
      return .told(record.standing)
    } catch {
      why.append(error.log)
      if case .machineUnknown = error { return .machineUnknown }
      return .notTold
    }
  }

  /// Whether the account was registered here and has no key any more; also where its keys cannot be read.
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
      why.append("what the server said last cannot be used: \(error)")
      return .judged(.refused(.noYes))
    }
  }

  private func describe(_ ground: AccountStateMachine.Ground, _ why: [String]) -> String {
    switch ground {
    case .told: "the server says that the account is active"
    case .remembered: "the server said that the account is active; it was not heard now: \(told(why))"
    case .notKnown: "let through, because nothing says that the account is disabled: \(told(why))"
    }
  }

  private func told(_ why: [String]) -> String {
    why.isEmpty ? "it is not asked for this service" : why.joined(separator: "; ")
  }

  private func ending(_ reason: AccountRefusal, _ why: [String], _ isTold: Bool) -> Ending {
    // A refusal of the server ends what its last success allows.
    let server = isTold ? ServerPart(hasSpoken: true, hasRefused: true) : ServerPart()
    let source = isTold ? "the server says" : "the server said last, and was not heard now"
    let log =
      switch reason {
      case .disabled, .locked: "\(source) that the account is \(reason)"
      case .notKnown: "nothing says that the account is active: \(told(why))"
      }
    return Ending(.forbidden, because: reason.cause, log: log, server: server)
  }
}
