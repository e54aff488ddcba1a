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
    var network = try surroundings.network(server)
    var flow = RegistrationFlow(settings: client, username: identity.serverUserName, authCode: payload.authCode)
    let keys = try account.map { (file) throws(Ending) in try self.keys(of: file) } ?? []
    do throws(Refusal) { try flow.start(over: &network) } catch { throw Ending(error) }
    let offer = try offered(&flow, type, keys, over: &network)
    var maker = try NewKeyMaker(unlock(type, account, identity, in: directory))
    let acceptance: Acceptance
    do throws(Refusal) {
      _ = try flow.makeKey(with: &maker)
      acceptance = try flow.send(over: &network)
    } catch { throw Ending(error) }
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

  private func offered(
    _ flow: inout RegistrationFlow, _ type: AuthenticatorType, _ keys: [UAFKey], over network: inout Network
  ) throws(Ending) -> RegistrationOffer {
    do throws(Refusal) { return try flow.collect(over: &network, among: descriptions([type], keys: keys)) } catch {
      var ending = Ending(error)
      if error.result == .serverNoRegistration {
        ending.detail = "the server does not accept the enrolment code: ask the administrator for another payload"
      }
      throw ending
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
    _ maker: borrowing NewKeyMaker, _ account: AccountFile?, _ identity: AccountIdentity, replacing old: [UAFKey],
    in directory: borrowing StateDirectory
  ) throws(Ending) {
    guard let key = maker.made else { throw Ending(.cannotUse, log: "no key was made") }
    do throws(StateError) {
      let file = if let account { account } else { try AccountFile.create(in: directory, identity: identity) }
      try file.store(key, of: maker.unlocked)
      if !old.isEmpty { try file.remove(old.map(\.keyID)) }
    } catch {
      var ending = Ending(error)
      ending.log = "the server accepted the key, but it could not be kept: \(error)"
      throw ending
    }
  }
}
