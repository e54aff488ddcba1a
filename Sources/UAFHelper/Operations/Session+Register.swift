import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// Makes a key for the account, and keeps it if the server accepts it.
  func register() throws(Ending) -> Success {
    let server = try server()
    let client = try clientSettings(server)
    let type = try chosenType()
    let uid = try caller.requireAccount()
    let payload = try payload()
    try requireTrusted(payload, server)
    let directory = try openState()
    let account = try openAccount(uid, in: directory)
    let identity = try identity(uid, account, payload, server)
    var network = try self.network(server)
    let keys = try account.map { (file) throws(Ending) in try self.keys(of: file) } ?? []
    var (flow, offer) = try offered(client, identity, payload, type, keys, over: &network)
    if offer.namesOtherKeys, keys.isEmpty, try deregisterStaleKeys(client, identity, payload, over: &network) {
      (flow, offer) = try offered(client, identity, payload, type, keys, over: &network)
    }
    var maker = try NewKeyMaker(UnlockedAuthenticatorBox(unlock(type, account, identity, in: directory)))
    let acceptance = try send(&flow, &maker, account, keys, over: &network)
    let old = keys.filter { $0.type == type && $0.appID == offer.appID }
    try keep(maker, account, identity, replacing: old, in: directory)
    return Success(text: .registered(user: identity.serverUserName), token: acceptance.token)
  }

  /// Whose state it is, or will be.
  ///
  /// The server's name must be what root's mapping makes of the account's.
  private func identity(
    _ uid: UInt32, _ account: AccountFile?, _ payload: EnrolmentPayload, _ server: ServerSettings
  ) throws(Ending) -> AccountIdentity {
    let name = account?.identity.name ?? caller.name ?? PasswdFile.name(of: uid, in: surroundings.passwd())
    guard let name else {
      throw Ending(
        .invalidUsername, detail: "this account is not in /etc/passwd: have root run 'uafctl register USER'",
        log: "uid \(uid) is not in /etc/passwd")
    }
    let serverName = try serverUserName(name, server)
    guard serverName == payload.username else {
      throw Ending(
        .invalidParameter, detail: "the payload is for another account than \(serverName)",
        log: "payload of another account")
    }
    return AccountIdentity(uid: uid, name: name, serverUserName: serverName)
  }

  /// Asks for a registration.
  private func offered(
    _ client: ClientSettings, _ identity: AccountIdentity, _ payload: EnrolmentPayload, _ type: AuthenticatorType,
    _ keys: [UAFKey], over network: inout Network
  ) throws(Ending) -> (RegistrationFlow, RegistrationOffer) {
    var flow = RegistrationFlow(settings: client, username: identity.serverUserName, authCode: payload.authCode)
    do throws(Refusal) {
      try flow.start(over: &network)
      let offer = try flow.collect(over: &network, among: descriptions([type], keys: keys))
      return (flow, offer)
    } catch {
      var ending = Ending(error)
      if error.result == .serverNoRegistration {
        ending.detail = "the server does not accept the enrolment code: ask the administrator for another payload"
      }
      throw ending
    }
  }

  /// Has the server forget the keys that this machine has lost, before it gets a new one (1008).
  ///
  /// A server that does not tell machines apart finds no keys named, or none here, and registers beside what it has.
  ///
  /// - Returns: whether there were any; keys of other machines are none.
  private func deregisterStaleKeys(
    _ client: ClientSettings, _ identity: AccountIdentity, _ payload: EnrolmentPayload, over network: inout Network
  ) throws(Ending) -> Bool {
    guard client.dialect == .fido, client.device.id != nil else { return false }
    var flow = DeregistrationFlow(
      settings: client, username: identity.serverUserName, scope: .machine, authCode: payload.authCode)
    do throws(Refusal) {
      try flow.start(over: &network)
      _ = try flow.collect(over: &network)
    } catch {
      let nothingThere: [UAFStatusCode] = [.unknownKeyID, .unknownAAID, .notFound, .badRequest]
      if let status = error.serverStatus, nothingThere.contains(.init(rawValue: status)) { return false }
      throw Ending(error)
    }
    log("register", "\(FidoResult.alreadyRegistered): the server forgot keys that this machine had lost")
    return true
  }

  /// Makes the key and has it accepted, by a further authentication with it if the server demands one.
  private func send(
    _ flow: inout RegistrationFlow, _ maker: inout NewKeyMaker, _ account: AccountFile?, _ keys: [UAFKey],
    over network: inout Network
  ) throws(Ending) -> Acceptance {
    do throws(Refusal) {
      _ = try flow.makeKey(with: &maker)
      if case .accepted(let acceptance) = try flow.send(over: &network) { return acceptance }
    } catch { throw Ending(error) }
    guard let new = maker.made else { throw Ending(.cannotUse, log: "no key was made") }
    var further = flow.furtherAuthentication()
    let verdict = try answer(&further, new.type, keys + [new], over: &network) { (key) throws(Ending) in
      guard key.keyID != new.keyID, let account else { return try maker.signer() }
      return try signer(key, account, maker.unlocked)
    }
    switch verdict {
    case .success(let acceptance): return acceptance
    case .failure(let refusal): throw Ending(refusal)
    }
  }

  /// An authenticator that has a value verifies it, which is an attempt; one without gets one.
  private func unlock(
    _ type: AuthenticatorType, _ account: AccountFile?, _ identity: AccountIdentity,
    in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticator {
    if let account, try isEnrolled(account, type) { return try verify(account, type, in: directory) }
    let value = try askNewValue()
    let slot = try takeSlot(in: directory)
    do throws(StateError) {
      return try AccountFile.enrol(
        value, for: type, identity: identity, cost: derivationCost, in: directory, holding: slot)
    } catch { throw Ending(error) }
  }

  private func keep(
    _ maker: NewKeyMaker, _ account: AccountFile?, _ identity: AccountIdentity, replacing old: [UAFKey],
    in directory: borrowing StateDirectory
  ) throws(Ending) {
    guard let key = maker.made else { throw Ending(.cannotUse, log: "no key was made") }
    do throws(StateError) {
      let file = if let account { account } else { try AccountFile.create(in: directory, identity: identity) }
      try file.store(key, of: maker.unlocked.authenticator)
      if !old.isEmpty { try file.remove(old.map(\.keyID)) }
    } catch {
      var ending = Ending(error)
      ending.log = "the server accepted the key, but it could not be kept: \(error)"
      throw ending
    }
  }
}
