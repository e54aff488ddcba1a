import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// What allows an account to be deregistered.
enum DeregistrationProof {
  /// The server's token for a fresh verification; whether it wants one is for the server to say.
  case token(String?)
  /// An enrolment code, which the server judges.
  case code(String)
}

extension Session {
  /// Gives keys back: proves the account here and to the server, has the server forget, then forgets.
  func deregister() throws(Ending) -> Success {
    let server = try server()
    let client = try clientSettings(server)
    let named = try namedType()
    let uid = try caller.requireAccount()
    guard let held = try authenticators(of: uid, named) else {
      throw Ending(.notRegistered, because: .nothingHere, log: "no key of this account on this machine")
    }
    let type = begin.operation == .deregisterAll ? nil : try typeToDeregister(of: held)
    let account = held.account
    guard let proof = try proof(of: held, type, client, server) else { return try forgetHere(type, of: held) }
    try requireFrontEnd()
    var network = try self.network(server)
    let name = account.identity.serverUserName
    let order: DeregistrationOrder
    let scope = try scope(type)
    let keyIDs = try ownKeyIDs(of: account, type, in: try openState())
    do throws(Refusal) { order = try self.order(scope, keyIDs, proof, of: name, client, over: &network) } catch {
      throw begin.payload == nil ? Ending(error) : Ending(judgingCode: error)
    }
    try forgetKeys(order, type, of: account, proof)
    guard let left = try stillHeld(order, of: account) else {
      return Success(text: .deregistered(user: account.identity.serverUserName), token: order.token)
    }
    log(
      .keys,
      "the server has forgotten the key of the \(left.rawValue) as well, which was not asked for; it is kept here")
    return Success(
      text: .deregisteredMore(user: account.identity.serverUserName, left: left.kind), token: order.token)
  }

  /// What proves the account to the server: the payload's code, or a fresh verification.
  ///
  /// - Returns: nil where the server does not know the key that was to prove the account, so that it has nothing to forget. The
  ///   person has entered the value, and wants the key gone.
  private func proof(
    of held: AccountAuthenticators, _ type: AuthenticatorType?, _ client: ClientSettings, _ server: ServerSettings
  ) throws(Ending) -> DeregistrationProof? {
    if begin.payload != nil { return .code(try code(for: held.account, server)) }
    let proving = AccountAuthenticators(held.account, held.types, named: type, in: try openState())
    do throws(Ending) {
      return .token(try AuthenticationRun(self, proving, client, server, for: .proof(.deregistration)).run().token)
    } catch {
      let meant = type.map { [$0] } ?? held.types
      let isProved = type.map { proving[$0] != nil } ?? error.hasProved
      guard isProved, meant.allSatisfy(error.forgottenTypes.contains) else { throw error }
      return nil
    }
  }

  /// Removes the keys of one authenticator, or all where none is named, which the server does not have.
  private func forgetHere(_ type: AuthenticatorType?, of held: AccountAuthenticators) throws(Ending) -> Success {
    try requireFrontEnd()
    let account = held.account
    let keyIDs = try keys(of: account).filter { type == nil || $0.type == type }.map(\.keyID)
    do throws(StateError) {
      try tellingRemovedLocks(of: account) { () throws(StateError) in try account.remove(keyIDs) }
    } catch { throw Ending(error) }
    log(.keys, "\(keyIDs.count) key(s) removed, which the server did not know any more")
    return Success(text: .deregisteredHere(user: account.identity.serverUserName))
  }

  /// The authenticator whose key the server named beside what was asked for, and which is still here; nil for none.
  private func stillHeld(_ order: DeregistrationOrder, of account: AccountFile) throws(Ending) -> AuthenticatorType? {
    guard begin.payload == nil || caller.isRoot else { return nil }
    return try keys(of: account).first { $0.appID == order.appID && names($0, order) }?.type
  }

  private func names(_ key: UAFKey, _ order: DeregistrationOrder) -> Bool {
    guard let aaid = try? AAID(key.type.aaid), let keyID = try? KeyID(bytes: key.keyID) else { return false }
    return order.names(aaid, keyID)
  }

  /// The named type, the only one, or what the person chooses.
  private func typeToDeregister(of held: AccountAuthenticators) throws(Ending) -> AuthenticatorType {
    if let type = held.named ?? (held.types.count == 1 ? held.types.first : nil) { return type }
    guard isInteractive, let type = try chooseType(among: held.types) else {
      throw Ending(
        .noSuitableAuthenticator, because: .severalToName, log: "several authenticators are registered: name one")
    }
    return type
  }

  /// One type of this machine's, or all there is.
  func scope(_ type: AuthenticatorType?) throws(Ending) -> DeregistrationScope {
    guard let type else { return .all }
    do throws(MessageError) { return .authenticator(try AAID(type.aaid)) } catch { throw Ending(StateError.damaged) }
  }

  /// Has the server forget keys of an account and say which.
  func order(
    _ scope: DeregistrationScope, _ keyIDs: [KeyID], _ proof: DeregistrationProof, of username: String,
    _ client: ClientSettings, over network: inout Network
  ) throws(Refusal) -> DeregistrationOrder {
    var flow =
      switch proof {
      case .token(let token):
        DeregistrationFlow(settings: client, username: username, scope: scope, keyIDs: keyIDs, proof: token)
      case .code(let code):
        DeregistrationFlow(settings: client, username: username, scope: scope, keyIDs: keyIDs, authCode: code)
      }
    try flow.start(over: &network)
    let order = try flow.collect(over: &network)
    // What it said yes to before, it said of keys that it has forgotten now.
    noteRefusal()
    return order
  }

  /// Only this account's keys, only for the application the server spoke of: a wildcard reaches no further.
  ///
  /// A code proves the account to the server, and nothing to this machine: without root the keys stay, of no use any more,
  /// until they are replaced or reset.
  private func forgetKeys(
    _ order: DeregistrationOrder, _ type: AuthenticatorType?, of account: AccountFile, _ proof: DeregistrationProof
  ) throws(Ending) {
    let named = try keys(of: account).filter { key in
      (type == nil || key.type == type) && key.appID == order.appID && names(key, order)
    }
    guard !named.isEmpty else {
      var ending = Ending(
        .invalidParameter, because: .messageNotValid,
        log: "the server's order names no key of this account on this machine")
      ending.isServers = true
      throw ending
    }
    if case .code = proof, !caller.isRoot {
      return log(.keys, "\(named.count) key(s) forgotten by the server, and kept here")
    }
    do throws(StateError) {
      try tellingRemovedLocks(of: account) { () throws(StateError) in try account.remove(named.map(\.keyID)) }
    } catch { throw Ending(error) }
    log(.keys, "\(named.count) key(s) removed")
  }
}
