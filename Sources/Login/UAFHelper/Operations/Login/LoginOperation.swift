import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration

/// Finds the account of a login, or imitates one, and completes a login that succeeded.
struct LoginAccount {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let hidden: HiddenAccount
  let finger: FingerprintCheck
  let log: CallLog

  /// The account's authenticators.
  ///
  /// - Throws: ``Ending`` if there are none; with `hide_state` after the same prompts and the same time as for wrong values.
  func find(_ client: ClientSettings, _ settings: ServerSettings) throws(Ending) -> AccountAuthenticators {
    let named = try policy.namedType()
    let uid: UInt32
    do throws(Ending) { uid = try call.caller.requireAccount() } catch {
      guard policy.hidesState else { throw error }
      throw try pretend(client, settings)
    }
    if let held = try known(uid, named) { return held }
    if policy.hidesState { throw try pretend(client, settings) }
    if let cause = try accounts.causeOfMissing(named) {
      throw Ending(.notRegistered, because: cause, log: "the account has a different authenticator from the named one")
    }
    let isNew = accounts.neverHadRow(uid, in: try accounts.openState())
    throw Ending(.notRegistered, log: "no key of this account on this machine", isNew ? .neverRegistered : nil)
  }

  /// Completes a success: reports stale values, and stores which types were used.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func finish(_ success: Success, _ held: AccountAuthenticators) throws(Ending) -> Success {
    var success = success
    // A program with only one prompt cannot ask for the change that the account stage would demand.
    success.valueIsStale = try tellStale(held) && policy.isInteractive
    success.types = held.opened.map(\.type)
    noteUse(of: held)
    finger.acceptPrints(after: held.opened, held.account, in: held.directory)
    return success
  }

  private func pretend(_ client: ClientSettings, _ settings: ServerSettings) throws(Ending) -> Ending {
    try hidden.start(client, settings)
    return try hidden.pretend()
  }

  /// With `hide_state`, treats an unusable file as missing, and logs it.
  private func known(_ uid: UInt32, _ named: AuthenticatorType?) throws(Ending) -> AccountAuthenticators? {
    do throws(Ending) { return try accounts.authenticators(of: uid, named) } catch {
      guard policy.hidesState else { throw error }
      log.write(error.incident ?? .state, error.log, .error)
      return nil
    }
  }

  /// Reports each value that the current rules would refuse.
  ///
  /// - Returns: whether there is such a value.
  private func tellStale(_ held: AccountAuthenticators) throws(Ending) -> Bool {
    for stale in held.staleTypes {
      try prompter.show(policy.changesStaleValue ? .valueIsStale(stale.kind) : .valueIsStaleHere(stale.kind))
    }
    return !held.staleTypes.isEmpty
  }

  /// Stores the type that was used, for a later call with only one prompt.
  ///
  /// If that cannot be written, the login does not fail.
  private func noteUse(of held: AccountAuthenticators) {
    // A fingerprint is used in addition to a value, and a program with only one prompt never asks for it.
    let typed = held.opened.map(\.type).first(where: \.isTyped)
    guard held.types.count > 1, let used = held.staleTypes.first ?? typed else { return }
    do throws(StateError) { try held.account.noteUse(of: used) } catch {
      log.write(.state, "the authenticator that was used could not be recorded: \(error)", .warning)
    }
  }
}

/// What has happened in a login so far, as far as its end depends on it.
struct LoginStanding: Hashable {
  /// Whether the person was asked for anything.
  var wasAsked = false
  /// Whether a value was verified.
  var hasProved = false
  /// Whether the server, or something at its address, was reached.
  var isReached = false
  /// Whether a request from the server was received.
  var hasRequest = false
  /// Whether the server has refused anything.
  var isRefused = false

  /// Results that say nothing about the server's answer.
  private static let personsOwn: Set<FidoResult> = [
    .wrongValue, .locked, .lockedForGood, .userCancel, .userFallback, .applicationCancel, .systemCancel,
    .notInteractive, .resetChosen, .noAnswer,
  ]

  /// Whether an end with this result means that the server answered, and the answer was not a success.
  ///
  /// A request that was received and led to no success counts too, unless the person or the machine has ended the login.
  func isServersNo(_ result: FidoResult) -> Bool { isRefused || hasRequest && !Self.personsOwn.contains(result) }

  /// Adds to an ending what had happened before it.
  ///
  /// - Parameter hasProved: whether a value was verified. Without that, no stack continues because the server is unreachable.
  func marked(_ ending: Ending, hasProved: Bool) -> Ending {
    ending.after(
      isReached: isReached, isRefused: isServersNo(ending.result), hasProved: hasProved, wasAsked: wasAsked)
  }

  /// Adds what a refusal says about the server.
  mutating func hear(_ refusal: LoginRefusal) {
    isReached = isReached || refusal == .no || refusal == .brokenOff
    isRefused = isRefused || refusal == .no
  }
}
