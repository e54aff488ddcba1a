import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

extension Session {
  /// The person proves to be who they say, first here, then to the server.
  func authenticate() throws(Ending) -> Success {
    let server = try server()
    let client = try clientSettings(server)
    let named = try namedType()
    let uid: UInt32
    do throws(Ending) { uid = try caller.requireAccount() } catch {
      guard hidesState else { throw error }
      try startInVain(client, server)
      throw try pretend()
    }
    guard let held = try knownAuthenticators(of: uid, named) else {
      guard hidesState else {
        var ending = Ending(.notRegistered, log: "no key of this account on this machine")
        ending.neverHadRow = neverHadRow(uid, in: try openState())
        throw ending
      }
      try startInVain(client, server)
      throw try pretend()
    }
    try takeOwnText(of: held.account)
    let purpose = try purpose(held.account, server)
    if begin.denies, case .approval(let code) = purpose { throw denied(code, of: held.account, client, server) }
    let run = try AuthenticationRun(self, held, client, server, for: purpose)
    let terms = try answerTerms(client)
    var success: Success
    do throws(Ending) {
      success = Success(token: try run.run().token)
      noteYes(of: run, held, terms)
    } catch {
      if error.isDenial, case .approval(let code) = purpose { throw denied(code, of: held.account, client, server) }
      success = try withoutServer(error, held, terms)
    }
    // A program with one prompt could not hold the change that the account stage would ask for.
    success.valueIsStale = try tellStale(held) && isInteractive
    success.types = held.opened.map(\.type)
    noteUse(of: held)
    return success
  }

  /// Takes the text that a peer without root wants its person to confirm: only now its name is known.
  private func takeOwnText(of account: AccountFile) throws(Ending) {
    guard begin.transaction != nil, transaction == nil else { return }
    let source = TransactionSource(
      begin, caller, hostName: surroundings.device.hostName, account: account.identity.name)
    transaction = try source.text(in: charset)
  }

  /// Tells of each value that today's rules would refuse.
  ///
  /// - Returns: whether there is one.
  private func tellStale(_ held: AccountAuthenticators) throws(Ending) -> Bool {
    for stale in held.staleTypes {
      let text = isInteractive ? PromptText.valueIsStale(stale.kind) : .valueIsStaleHere(stale.kind)
      try frontEnd.send(.info(text.text(in: language)))
    }
    return !held.staleTypes.isEmpty
  }

  /// A login, or with a payload the approval of what waits for this person at the server.
  ///
  /// - Throws: ``Ending`` (1001) for a payload of another server, account or operation.
  private func purpose(
    _ account: AccountFile, _ server: ServerSettings
  ) throws(Ending) -> AuthenticationRun.Purpose {
    guard begin.payload != nil else { return .login }
    return .approval(code: try code(.authentication, for: account, server))
  }

  /// The account's authenticators; nil if it has none, or not the named one.
  func authenticators(
    of uid: UInt32, _ named: AuthenticatorType?
  ) throws(Ending) -> AccountAuthenticators? {
    let directory = try openState()
    guard let account = try openAccount(uid, in: directory) else { return nil }
    let types = try enrolledTypes(account)
    guard !types.isEmpty, named.map({ types.contains($0) }) ?? true else { return nil }
    return AccountAuthenticators(account, types, named: named, in: directory)
  }

  /// The account's authenticators for a login.
  ///
  /// With `hide_state`, treats an unusable file as missing, and logs it.
  private func knownAuthenticators(
    of uid: UInt32, _ named: AuthenticatorType?
  ) throws(Ending) -> AccountAuthenticators? {
    do throws(Ending) { return try authenticators(of: uid, named) } catch {
      guard hidesState else { throw error }
      log(error.incident ?? .state, error.log, .error)
      return nil
    }
  }

  /// Notes what was used, for the next call that can ask only once; a login does not fail for it.
  private func noteUse(of held: AccountAuthenticators) {
    guard held.types.count > 1, let used = held.staleTypes.first ?? held.opened.first?.type else { return }
    do throws(StateError) { try held.account.noteUse(of: used) } catch {
      log(.state, "which authenticator was used could not be noted: \(error)", .warning)
    }
  }
}
