import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFWire

/// A login: the person is verified first on this machine, then by the server.
struct LoginOperation: CallOperation {
  let account: LoginAccount
  let authentication: AuthenticationTools
  let keyring: KeyringHandover
  /// The machine's name, which is part of every text to be confirmed.
  let hostName: String

  func run() throws(Ending) -> Success {
    let server = authentication.server
    let settings = try server.settings()
    let client = try server.clientSettings(settings)
    let held = try account.find(client, settings)
    try takeOwnText(of: held.account)
    let driver = try LoginDriver(authentication, held, client, settings)
    let success = try account.finish(try driver.run(), held)
    try keyring.handOver(with: held, after: success)
    return success
  }

  /// Sets the text that the person is to confirm, if a peer that is not root gave one.
  ///
  /// This is done only now because the text contains the account's name.
  private func takeOwnText(of account: AccountFile) throws(Ending) {
    let call = authentication.call
    guard call.begin.transaction != nil, authentication.prompter.confirmed == nil else { return }
    let source = TransactionSource(call.begin, call.caller, hostName: hostName, account: account.identity.name)
    authentication.prompter.confirm(TextToConfirm(text: try source.text(in: authentication.server.charset)))
  }
}

/// Finds the account of a login, or imitates one, and completes a login that succeeded.
struct LoginAccount {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let hidden: HiddenAccount
  let sensors: BiometricCheck
  let unregistered: UnregisteredPass
  let log: CallLog

  /// The account's authenticators.
  ///
  /// - Throws: ``Ending`` if there are none. With `hide_state`, the same prompts are shown first, and it takes as long as for
  ///   wrong secrets.
  func find(_ client: ClientSettings, _ settings: ServerSettings) throws(Ending) -> AccountAuthenticators {
    let named = try policy.namedType()
    let uid: UInt32
    do throws(Ending) { uid = try call.caller.requireAccount() } catch {
      guard policy.hidesState else { throw error }
      throw try pretend(client, settings)
    }
    if let held = try known(uid, named) {
      _ = unregistered.endedDay()
      return held
    }
    if policy.hidesState { throw try pretend(client, settings) }
    if let cause = try accounts.causeOfMissing(named) {
      throw Ending(.notRegistered, because: cause, log: "the account has a different authenticator from the named one")
    }
    let isNew = accounts.neverHadRow(uid, in: try accounts.openState())
    let absence = "no key of this account on this machine"
    if let day = unregistered.endedDay() {
      throw Ending(.notRegistered, log: "\(absence), and \(day), the last day of nouserok, is over")
    }
    throw Ending(.notRegistered, log: absence, isNew ? .neverRegistered : nil)
  }

  /// Completes a success: reports stale secrets, and stores which type was used.
  ///
  /// - Throws: ``Ending`` if the front end is gone.
  func finish(_ success: Success, _ held: AccountAuthenticators) throws(Ending) -> Success {
    var success = success
    // A program that can show only one prompt could not carry out the change that the account stage would demand.
    success.valueIsStale = try tellStale(held) && policy.isInteractive
    success.types = held.opened.map(\.type)
    noteUse(of: held)
    sensors.acceptPrints(after: held.opened, held.account, in: held.directory)
    return success
  }

  private func pretend(_ client: ClientSettings, _ settings: ServerSettings) throws(Ending) -> Ending {
    try hidden.start(client, settings)
    return try hidden.pretend()
  }

  /// Finds the account's authenticators.
  ///
  /// With `hide_state`, a file that cannot be used is logged and treated as missing.
  private func known(_ uid: UInt32, _ named: AuthenticatorType?) throws(Ending) -> AccountAuthenticators? {
    do throws(Ending) { return try accounts.authenticators(of: uid, named) } catch {
      guard policy.hidesState else { throw error }
      log.write(error.incident ?? .state, error.log, .error)
      return nil
    }
  }

  /// Reports each secret that the current rules would refuse.
  ///
  /// - Returns: whether there is such a secret.
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
    // Only typed secrets count: a fingerprint is an addition to them, and a call with only one prompt never asks for it.
    let typed = held.opened.map(\.type).first(where: \.isTyped)
    guard held.types.count > 1, let used = held.staleTypes.first ?? typed else { return }
    do throws(StateError) { try held.account.noteUse(of: used) } catch {
      log.write(.state, "the authenticator that was used could not be recorded: \(error)", .warning)
    }
  }
}
