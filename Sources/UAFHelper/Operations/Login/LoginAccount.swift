import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration

/// The account that somebody logs in to: found, or pretended, and told what its person has to know.
struct LoginAccount {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let hidden: HiddenAccount
  let log: CallLog

  /// The account's authenticators.
  ///
  /// - Throws: ``Ending`` where there are none; with `hide_state` only after everything that a wrong value would cost.
  func find(_ client: ClientSettings, _ settings: ServerSettings) throws(Ending) -> AccountAuthenticators {
    let named = try policy.namedType()
    let uid: UInt32
    do throws(Ending) { uid = try call.caller.requireAccount() } catch {
      guard policy.hidesState else { throw error }
      throw try pretend(client, settings)
    }
    if let held = try known(uid, named) { return held }
    if policy.hidesState { throw try pretend(client, settings) }
    var ending = Ending(.notRegistered, log: "no key of this account on this machine")
    ending.neverHadRow = accounts.neverHadRow(uid, in: try accounts.openState())
    throw ending
  }

  /// Completes a success: tells of stale values, and notes what was used.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func finish(_ success: Success, _ held: AccountAuthenticators) throws(Ending) -> Success {
    var success = success
    // A program with one prompt could not hold the change that the account stage would ask for.
    success.valueIsStale = try tellStale(held) && policy.isInteractive
    success.types = held.opened.map(\.type)
    noteUse(of: held)
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

  /// Tells of each value that today's rules would refuse.
  ///
  /// - Returns: whether there is one.
  private func tellStale(_ held: AccountAuthenticators) throws(Ending) -> Bool {
    for stale in held.staleTypes {
      try prompter.show(policy.isInteractive ? .valueIsStale(stale.kind) : .valueIsStaleHere(stale.kind))
    }
    return !held.staleTypes.isEmpty
  }

  /// Notes what was used, for the next call that can ask only once; a login does not fail for it.
  private func noteUse(of held: AccountAuthenticators) {
    guard held.types.count > 1, let used = held.staleTypes.first ?? held.opened.first?.type else { return }
    do throws(StateError) { try held.account.noteUse(of: used) } catch {
      log.write(.state, "which authenticator was used could not be noted: \(error)", .warning)
    }
  }
}
