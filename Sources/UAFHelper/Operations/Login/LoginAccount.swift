import Authenticator
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
  /// - Throws: ``Ending`` where there are none; with `hide_state` after the same prompts and the same time as for wrong values.
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
      throw Ending(.notRegistered, because: cause, log: "the account has another authenticator than the named one")
    }
    let isNew = accounts.neverHadRow(uid, in: try accounts.openState())
    throw Ending(.notRegistered, log: "no key of this account on this machine", isNew ? .neverRegistered : nil)
  }

  /// Completes a success: reports stale values, and stores which types were used.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func finish(_ success: Success, _ held: AccountAuthenticators) throws(Ending) -> Success {
    var success = success
    // A program with one prompt cannot ask for the change that the account stage would demand.
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

  /// Reports each value that today's rules would refuse.
  ///
  /// - Returns: whether there is one.
  private func tellStale(_ held: AccountAuthenticators) throws(Ending) -> Bool {
    for stale in held.staleTypes {
      try prompter.show(policy.isInteractive ? .valueIsStale(stale.kind) : .valueIsStaleHere(stale.kind))
    }
    return !held.staleTypes.isEmpty
  }

  /// Stores the type that was used, for a later call with only one prompt.
  ///
  /// A login does not fail if that cannot be written.
  private func noteUse(of held: AccountAuthenticators) {
    // A fingerprint is beside a value, and never the one that a program with one prompt asks for.
    let typed = held.opened.map(\.type).first(where: \.isTyped)
    guard held.types.count > 1, let used = held.staleTypes.first ?? typed else { return }
    do throws(StateError) { try held.account.noteUse(of: used) } catch {
      log.write(.state, "which authenticator was used could not be noted: \(error)", .warning)
    }
  }
}
