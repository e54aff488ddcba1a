import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Deregisters: verifies the person here and at the server, has the server delete the keys, and then removes them here.
struct DeregistrationOperation: CallOperation {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let server: ServerAccess
  let authentication: AuthenticationTools
  let codes: EnrolmentCodes
  let deletion: KeyDeletion
  let log: CallLog

  func run() throws(Ending) -> Success {
    let settings = try server.settings()
    let client = try server.clientSettings(settings)
    let named = try policy.namedType()
    let uid = try call.caller.requireAccount()
    guard let held = try accounts.authenticators(of: uid, named) else {
      throw Ending(
        .notRegistered, because: try accounts.causeOfMissing(named) == nil ? .nothingHere : .otherHere,
        log: "no key of this account on this machine")
    }
    try accounts.requireNotBlocked(held.account)
    let type = call.begin.operation == .deregisterAll ? nil : try typeToDeregister(of: held)
    if !client.deregisters { return try removeHere(type, of: held) }
    let account = held.account
    let name = account.identity.serverUserName
    let scope = try KeyDeletion.scope(type)
    let keyIDs = try deletion.keyIDs(of: account, type)
    let isByCode = call.begin.payload != nil
    let entitlement: Entitlement
    if isByCode {
      entitlement = try codes.entitlement(for: account, settings)
    } else {
      switch try proof(of: held, type, scope, keyIDs, client, settings) {
      case .given(let given): entitlement = given
      case .keyNotThere: return try forgetHere(type, of: held)
      case .authenticatorNotAccepted: return try forgetHere(type, of: held, isListedThere: true)
      }
    }
    try prompter.requireFrontEnd()
    var network = try server.network(settings, for: account)
    let order = try deletion.order(scope, keyIDs, entitlement, of: name, client, over: &network) { refusal in
      isByCode ? Ending(judgingCode: refusal) : Ending(refusal)
    }
    let kinds = try forgetKeys(order, type, of: account).map(\.kind)
    guard removesHere else { return Success(text: .deregisteredThere(user: name, of: kinds), token: order.token) }
    guard let left = try stillHeld(order, of: account) else {
      return Success(text: .deregistered(user: name, of: kinds), token: order.token)
    }
    log.write(
      .keys,
      "the server has also deleted the key of the \(left.rawValue), although nobody asked for "
        + "that; the key is kept here"
    )
    return Success(text: .deregisteredMore(user: name, left: left.kind), token: order.token)
  }

  /// The type that is named, or the only one, or the one that the person chooses.
  private func typeToDeregister(of held: AccountAuthenticators) throws(Ending) -> AuthenticatorType {
    if let type = held.named ?? (held.types.count == 1 ? held.types.first : nil) { return type }
    guard policy.isInteractive, let type = try prompter.chooseType(among: held.types) else {
      throw Ending(
        .noSuitableAuthenticator, because: .severalToName, log: "several authenticators are registered: name one")
    }
    return type
  }

  /// The server's token of a fresh authentication for the removal of these keys, with which the person proves the account to
  /// the server.
  ///
  /// - Throws: ``Ending``: the person was not verified, or the server refused for any other reason than those of ``Proof``.
  private func proof(
    of held: AccountAuthenticators, _ type: AuthenticatorType?, _ scope: DeregistrationScope, _ keyIDs: [KeyID],
    _ client: ClientSettings, _ settings: ServerSettings
  ) throws(Ending) -> Proof {
    let provesByTyped = provesByTyped(type, of: held)
    let proving = try proving(type, of: held)
    do throws(Ending) {
      let driver = try LoginDriver(
        authentication, proving, client, settings, for: .proof(.removal(scope, keyIDs: keyIDs)))
      return .given(try driver.run().token.map { .proof($0) } ?? Entitlement.none)
    } catch {
      let meant = type.map { [$0] } ?? held.types
      let isProved = provesByTyped ? error.hasProved : type.map { proving[$0] != nil } ?? error.hasProved
      guard isProved else { throw error }
      if meant.allSatisfy(error.server.forgottenTypes.contains) { return .keyNotThere }
      // With several authenticators the status could be about one that is to stay.
      guard error.server.refusesAuthenticator, held.types.count == 1 else { throw error }
      return .authenticatorNotAccepted
    }
  }

  /// What a person who was verified on this machine has for the server.
  private enum Proof {
    /// What allows the removal there.
    case given(Entitlement)
    /// Nothing: the server does not know the key, so there is nothing to delete.
    case keyNotThere
    /// Nothing: the server accepts no authentication with the account's only authenticator (1492). It may still list the key.
    case authenticatorNotAccepted
  }

  /// Removes the keys of one authenticator, or all if none is named, but only from this machine.
  ///
  /// There is no way to tell the server: WebAuthn has no message for it, and a UAF server may have no address for it. The person
  /// must first enter a secret; the server is not involved.
  private func removeHere(
    _ type: AuthenticatorType?, of held: AccountAuthenticators
  ) throws(Ending) -> Success {
    guard call.begin.payload == nil else {
      throw Ending(.invalidParameter, because: .codesNotJudged, log: "the server cannot check an enrolment code")
    }
    let proving = try proving(type, of: held)
    let signers = LoginSigners(proving, authentication)
    if try signers.openFirst() == .leftToChoose { _ = try signers.openAny() }
    guard !proving.opened.isEmpty else { throw prompter.cancelled("no value was entered") }
    try prompter.requireFrontEnd()
    let account = held.account
    let keys = try accounts.keys(of: account).filter { type == nil || $0.type == type }
    guard !keys.isEmpty else {
      throw Ending(.notRegistered, because: .nothingHere, log: "no key of this account on this machine")
    }
    let kinds = AuthenticatorType.allCases.filter { type in keys.contains { $0.type == type } }.map(\.kind)
    try remove(keys.map(\.keyID), from: account)
    // The server's last success may have been for one of these keys, so it must no longer allow logins.
    accounts.noteRefusal()
    log.write(.keys, "\(Self.counted(keys.count)) removed here; the server keeps its part")
    return Success(text: .deregisteredHereAlone(user: account.identity.serverUserName, of: kinds))
  }

  /// The authenticators from which the person must verify one.
  ///
  /// Before a fingerprint is removed, the person verifies a passcode or pattern instead, if there is one: otherwise a sensor
  /// that is broken or gone would keep its own key alive.
  private func proving(
    _ type: AuthenticatorType?, of held: AccountAuthenticators
  ) throws(Ending) -> AccountAuthenticators {
    let provesByTyped = provesByTyped(type, of: held)
    return AccountAuthenticators(
      held.account, provesByTyped ? held.types.filter(\.isTyped) : held.types, refused: held.refused,
      named: provesByTyped ? nil : type, in: try accounts.openState())
  }

  private func provesByTyped(_ type: AuthenticatorType?, of held: AccountAuthenticators) -> Bool {
    type?.isTyped != true && held.types.contains(where: \.isTyped)
  }

  /// Removes keys from this machine alone: those of one authenticator, or all if none is named.
  ///
  /// - Parameter isListedThere: whether the server may still list the keys, so that the person is told to remove them there.
  private func forgetHere(
    _ type: AuthenticatorType?, of held: AccountAuthenticators, isListedThere: Bool = false
  ) throws(Ending) -> Success {
    try prompter.requireFrontEnd()
    let account = held.account
    let keys = try accounts.keys(of: account).filter { type == nil || $0.type == type }
    let kinds = AuthenticatorType.allCases.filter { type in keys.contains { $0.type == type } }.map(\.kind)
    try remove(keys.map(\.keyID), from: account)
    let user = account.identity.serverUserName
    log.write(
      .keys,
      "\(Self.counted(keys.count)) removed, which the server " + (isListedThere ? "does not accept" : "no longer knew"))
    return Success(
      text: isListedThere ? .deregisteredHereAlone(user: user, of: kinds) : .deregisteredHere(user: user, of: kinds))
  }

  private static func counted(_ keys: Int) -> String { keys == 1 ? "1 key" : "\(keys) keys" }

  /// Whether keys that the server has deleted are also removed here.
  ///
  /// A code proves the account to the server. To this machine, it proves the account only if the server signs which keys it
  /// deleted: otherwise a program that controls uaf-fetch could have a key removed with any text as the code. So without
  /// signatures, the keys stay here unless root is the caller.
  private var removesHere: Bool { call.begin.payload == nil || call.caller.isRoot || !server.isVerdictUnsigned }

  /// Removes the keys that the server named, as far as they belong to this account and to the AppID in the server's request.
  ///
  /// For keys that stay here, the stored status is set, so that `uafctl status` and a registration know that the server no
  /// longer has them.
  ///
  /// - Returns: the authenticators whose keys the server has deleted.
  private func forgetKeys(
    _ order: DeregistrationOrder, _ type: AuthenticatorType?, of account: AccountFile
  ) throws(Ending) -> [AuthenticatorType] {
    let named = try accounts.keys(of: account).filter { key in
      (type == nil || key.type == type) && key.appID == order.appID && names(key, order)
    }
    guard !named.isEmpty else {
      throw Ending(
        .invalidParameter, because: .messageNotValid,
        log: "the server's request names no key of this account on this machine", server: ServerPart(hasSpoken: true))
    }
    if removesHere {
      try remove(named.map(\.keyID), from: account)
      log.write(.keys, "\(Self.counted(named.count)) removed")
    } else {
      for key in named { mark(key, of: account) }
      log.write(.keys, "\(Self.counted(named.count)) deleted by the server, but kept here")
    }
    return AuthenticatorType.allCases.filter { type in named.contains { $0.type == type } }
  }

  private func mark(_ key: RegisteredKey, of account: AccountFile) {
    do throws(StateError) {
      try account.mark(key.keyID, serverStatus: UAFStatusCode.unknownKeyID.rawValue)
    } catch { log.write(.state, "that the server has deleted a key could not be recorded: \(error)", .warning) }
  }

  private func remove(_ keyIDs: [[UInt8]], from account: AccountFile) throws(Ending) {
    do throws(StateError) {
      try accounts.tellingRemovedLocks(of: account) { () throws(StateError) in try account.remove(keyIDs) }
    } catch { throw Ending(error) }
  }

  /// An authenticator that is still registered here although the server deleted its key, which was not requested; nil if there
  /// is none.
  private func stillHeld(_ order: DeregistrationOrder, of account: AccountFile) throws(Ending) -> AuthenticatorType? {
    try accounts.keys(of: account).first { $0.appID == order.appID && names($0, order) }?.type
  }

  private func names(_ key: RegisteredKey, _ order: DeregistrationOrder) -> Bool {
    guard let aaid = try? AAID(key.type.aaid), let keyID = try? KeyID(bytes: key.keyID) else { return false }
    return order.names(aaid, keyID)
  }
}

/// Has the server delete keys of an account.
struct KeyDeletion {
  let accounts: AccountAccess
  let server: ServerAccess

  /// The scope of a deregistration: one type, or everything if `type` is nil.
  ///
  /// - Throws: ``Ending`` if the type has no valid AAID.
  static func scope(_ type: AuthenticatorType?) throws(Ending) -> DeregistrationScope {
    guard let type else { return .all }
    do throws(MessageError) { return .authenticator(try AAID(type.aaid)) } catch { throw Ending(StateError.damaged) }
  }

  /// The KeyIDs that this machine made for an account's authenticators of a type; if `type` is nil, for all types.
  ///
  /// - Throws: ``Ending``.
  func keyIDs(of account: AccountFile, _ type: AuthenticatorType?) throws(Ending) -> [KeyID] {
    try OwnKeys.keyIDs(
      of: account.identity, held: try accounts.keys(of: account), ofType: type, in: try accounts.openState())
  }

  /// Has the server delete keys of an account and name those that it deleted.
  ///
  /// - Parameter refused: makes the ending from the server's refusal.
  /// - Throws: ``Ending``; 1002 if root requires signatures and the server did not sign which keys it deleted.
  func order(
    _ scope: DeregistrationScope, _ keyIDs: [KeyID], _ entitlement: Entitlement, of username: String,
    _ client: ClientSettings, over network: inout Network, refused: (Refusal) -> Ending
  ) throws(Ending) -> DeregistrationOrder {
    var flow = DeregistrationFlow(
      settings: client, username: username, scope: scope, keyIDs: keyIDs, entitlement: entitlement)
    let order: DeregistrationOrder
    do throws(Refusal) {
      try flow.start(over: &network)
      order = try flow.collect(over: &network)
    } catch { throw refused(error) }
    try server.believe(order)
    // The server's last success was for keys that it has now deleted, so it must no longer allow logins.
    accounts.noteRefusal()
    return order
  }
}
