import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFClient
import UAFCrypto
import UAFMessages
import WebAuthn

/// The authenticators that take part in one registration, and the new key that each of them makes.
@safe final class RegistrationKeys {
  /// The keys of this machine that the new ones replace, to be named to the server.
  let lost: [KeyID]
  private let tools: RegistrationTools
  private let account: AccountFile?
  private let identity: AccountIdentity
  private let directory: StateDirectory
  /// Whether existing secrets are replaced, so that the person need not enter them.
  private let replacesValues: Bool
  /// Whether the server supports a list of lost keys.
  private let tellsLost: Bool
  /// The account's keys, and those among them that stay.
  private let all: [RegisteredKey]
  private let kept: [RegisteredKey]
  /// The authenticators that the person must still verify or, for a further request, that must still sign.
  private var way: [AuthenticatorType]
  private var makers: [NewKeyMaker] = []
  /// What the keys of new authenticators with a sensor are bound to.
  private var enrolled: [BiometricRecord] = []

  /// - Parameter tellsLost: whether the server supports a list of lost keys.
  /// - Throws: ``Ending`` if the keys cannot be read.
  init(
    of decided: RegistrationCase, _ tools: RegistrationTools, in directory: consuming StateDirectory, tellsLost: Bool
  ) throws(Ending) {
    self.tools = tools
    account = decided.account
    identity = decided.identity
    replacesValues = decided.replacesValues
    way = decided.replacesValues ? decided.types : []
    all = try account.map { (file) throws(Ending) in try tools.accounts.keys(of: file) } ?? []
    // A key that will be replaced does not count as registered; otherwise the server's policy would demand a different
    // authenticator.
    kept = all.filter { decided.renewsKeys ? !decided.types.contains($0.type) : !$0.isDead }
    self.tellsLost = tellsLost
    lost = tellsLost ? try OwnKeys.keyIDs(of: identity, held: all, without: kept, in: directory) : []
    self.directory = directory
  }

  /// The keys of this account in its file here that are replaced.
  var replaced: [KeyID] { all.filter { !kept.contains($0) }.compactMap { try? KeyID(bytes: $0.keyID) } }

  /// The replaced keys, in the form that is needed for `uaf-server revoke --key`: AAID, space, KeyID.
  var replacedNames: [String] {
    all.filter { !kept.contains($0) }.compactMap { key in
      (try? KeyID(bytes: key.keyID)).map { "\(key.type.aaid) \($0.text)" }
    }
  }

  /// Whether the server has removed all replaced keys.
  func areReplaced(by forgotten: [KeyID]) -> Bool {
    replaced.allSatisfy(forgotten.contains)
  }

  /// Whether one of the keys that the server has removed is no longer on this machine.
  func wereLost(among forgotten: [KeyID]) -> Bool {
    forgotten.contains { keyID in !all.contains { $0.keyID == keyID.bytes } }
  }

  // MARK: Making keys

  /// Sets the authenticators that take part.
  func choose(_ types: [AuthenticatorType]) -> RegistrationEvent {
    way = types
    return .wayChosen(authenticators: way.count)
  }

  /// Lets the person verify the next authenticator, if it already has a secret or uses a sensor.
  ///
  /// Each entry counts as an attempt.
  ///
  /// - Throws: ``Ending``.
  func openNext() throws(Ending) -> RegistrationEvent {
    guard let type = way.first else { throw .outOfTurn(in: "registration") }
    guard let account, !replacesValues, try tools.accounts.isEnrolled(account, type) else { return .valueMissing }
    let attempts = Attempts(left: tools.policy.tries)
    guard let unlocked = try tools.check.askAndVerify(account, type, in: directory, attempts: attempts) else {
      throw tools.prompter.cancelled("no value was entered")
    }
    makers.append(try NewKeyMaker(unlocked))
    way.removeFirst()
    return .verified
  }

  /// Lets the person choose a new secret for the next authenticator, or use a sensor for it.
  ///
  /// - Throws: ``Ending``.
  func setNext() throws(Ending) -> RegistrationEvent {
    guard let type = way.first else { throw .outOfTurn(in: "registration") }
    if type.isTyped {
      try enrol(tools.newValue.ask(type), for: type, cost: tools.policy.derivationCost)
    } else {
      let record = try tools.sensors.newRecord(type, for: identity, hasTyped: try hasTyped(), in: directory)
      let value: Secret
      do throws(StateError) { value = try record.value() } catch { throw Ending(error) }
      try enrol(value, for: type, cost: BiometricRecord.cost)
      enrolled.append(record)
    }
    way.removeFirst()
    return .valueSet
  }

  /// Whether the person has a passcode or pattern, or gets one in this registration.
  private func hasTyped() throws(Ending) -> Bool {
    if makers.contains(where: \.type.isTyped) || way.contains(where: \.isTyped) { return true }
    return try account.map { (file) throws(Ending) in try tools.accounts.hasTyped(file) } ?? false
  }

  private func enrol(_ value: borrowing Secret, for type: AuthenticatorType, cost: Scrypt.Parameters) throws(Ending) {
    let slot = try tools.queue.takeSlot(in: directory)
    let unlocked: UnlockedAuthenticatorBox
    do throws(StateError) {
      unlocked = UnlockedAuthenticatorBox(
        try AccountFile.enrol(value, for: type, identity: identity, cost: cost, in: directory, holding: slot))
    } catch { throw tools.accounts.ending(for: error) }
    makers.append(try NewKeyMaker(unlocked))
  }

  /// The keys with which the server's policy is compared.
  var known: [RegisteredKey] { kept }

  /// Makes a key for each authenticator.
  func make(for exchange: inout RegistrationExchange) -> RegistrationEvent { exchange.makeKeys(with: &makers) }

  /// Stores the KeyIDs, if the server supports a list of lost keys.
  ///
  /// From now on, the server may have keys that this machine loses.
  ///
  /// - Throws: ``Ending``.
  func note() throws(Ending) -> RegistrationEvent {
    guard tellsLost else { return .keysNoted }
    do throws(StateError) {
      try MadeKeys.add(
        makers.compactMap { $0.made?.keyID }, of: identity.uid, serverUserName: identity.serverUserName, in: directory)
    } catch { throw Ending(error) }
    return .keysNoted
  }

  // MARK: Signing a further request

  /// The authenticators that can sign.
  var types: [AuthenticatorType] { makers.map(\.type) }

  /// The keys that can sign.
  var signing: [RegisteredKey] { kept + makers.compactMap(\.made) }

  /// Finds the authenticators that must sign a further request.
  ///
  /// - Throws: ``Ending`` if one of them is not open.
  func findWay(for offer: AuthenticationOffer?) throws(Ending) -> RegistrationEvent {
    guard let offer else { throw .outOfTurn(in: "registration") }
    guard let first = AuthenticatorOpener.ways(offer.sets, among: types, named: nil).first else {
      throw Ending(
        .noSuitableAuthenticator, because: .typesNotAccepted,
        log: "the server asks for authenticators that are not open")
    }
    return choose(first)
  }

  /// The key of the next authenticator, prepared for one signature.
  ///
  /// - Throws: ``Ending``.
  func nextSigner(for offer: AuthenticationOffer?) throws(Ending) -> KeySigner {
    guard let type = way.first, let index = makers.firstIndex(where: { $0.type == type }) else {
      throw Ending(.cannotUse, log: "the authenticator is not open")
    }
    way.removeFirst()
    guard let key = offer?.key(of: type, among: signing) else {
      throw Ending(
        .noSuitableAuthenticator, because: .keysNotHere,
        log: "the server asks for keys that are not on this machine")
    }
    if makers[index].made?.keyID == key.keyID { return try makers[index].signer() }
    guard let account else { throw Ending(.cannotUse, log: "the key does not exist") }
    return try tools.keys.signer(key, account, makers[index].unlocked)
  }

  // MARK: Storing

  /// Stores the new keys and secrets.
  ///
  /// They replace those of the same authenticators and AppID.
  ///
  /// - Parameter secret: the new machine secret.
  /// - Throws: ``Ending``.
  func keep(
    of appID: String?, knownBy secret: MachineSecret?, to server: ClientSettings
  ) throws(Ending) -> RegistrationEvent {
    let account = try keep(of: appID)
    tools.keys.note(secret, of: try tools.server.place(server.authentication), account)
    return .kept
  }

  /// Removes the shares of new authenticators from the chip, unless their records are on the disk.
  ///
  /// The disk must be checked, because a registration may fail even after the keys were stored.
  func discard() {
    for maker in makers where maker.unlocked.authenticator.isNew {
      guard let share = maker.unlocked.authenticator.share,
        !AccountShares.isKept(share, of: identity.uid, in: directory)
      else { continue }
      tools.accounts.removeShare(share)
    }
  }

  private func keep(of appID: String?) throws(Ending) -> AccountFile {
    let old = all.filter { types.contains($0.type) && $0.appID == appID }
    let registrations = makers.compactMap { maker in
      maker.made.map { maker.unlocked.authenticator.registration(of: $0) }
    }
    guard registrations.count == makers.count else { throw Ending(.cannotUse, log: "no key was made") }
    do throws(StateError) {
      guard let account else {
        let account = try AccountFile.create(in: directory, identity: identity, storing: registrations)
        for record in enrolled { try record.store(in: account) }
        return account
      }
      try tools.accounts.tellingRemovedLocks(of: account) { () throws(StateError) in
        try account.store(registrations, boundTo: enrolled, replacing: old.map(\.keyID), replacesValues: replacesValues)
      }
      return account
    } catch {
      let ending = Ending(error)
      throw ending.saying(
        ending.text, log: "the server accepted the key, but the key could not be stored: \(error)")
    }
  }
}

/// An open authenticator that makes one new key and signs its registration with it.
struct NewKeyMaker: KeyMaker, CredentialMaker {
  let aaid: AAID
  let aaguid: AAGUID
  let authenticatorVersion: UInt16 = 1
  let unlocked: UnlockedAuthenticatorBox
  /// The key, once it was made; it is stored only after the server has accepted it.
  private(set) var made: RegisteredKey?

  /// - Throws: ``Ending`` if the type has no valid AAID.
  init(_ unlocked: UnlockedAuthenticatorBox) throws(Ending) {
    do { aaid = try AAID(unlocked.type.aaid) } catch { throw Ending(StateError.damaged) }
    guard let aaguid = AAGUID(text: unlocked.type.aaguid) else { throw Ending(StateError.damaged) }
    self.aaguid = aaguid
    self.unlocked = unlocked
    made = nil
  }

  var type: AuthenticatorType { unlocked.type }

  mutating func makeKey(appID: String) throws(SigningFailure) -> NewKey { try make(.uaf, .es256, for: appID) }

  mutating func makeCredential(
    relyingPartyID: String, userHandle: [UInt8], _ algorithm: COSEAlgorithm
  ) throws(SigningFailure) -> NewKey {
    switch algorithm {
    case .es256: return try make(.webAuthn, .es256, for: relyingPartyID, userHandle)
    case .edDSA: return try make(.webAuthn, .ed25519, for: relyingPartyID, userHandle)
    case .rs256: throw SigningFailure(.noSuitableAuthenticator, detail: "no RSA key is made here")
    }
  }

  private mutating func make(
    _ keyProtocol: KeyProtocol, _ algorithm: KeyAlgorithm, for appID: String, _ userHandle: [UInt8] = []
  ) throws(SigningFailure) -> NewKey {
    do {
      let key = try unlocked.authenticator.makeKey(keyProtocol, algorithm, appID: appID, userHandle: userHandle)
      made = key
      return NewKey(
        keyID: try KeyID(bytes: key.keyID), publicKey: key.publicKey, signCounter: key.signCounter,
        regCounter: unlocked.authenticator.nextRegistrationCounter)
    } catch { throw SigningFailure(.cannotUse, detail: "\(error)") }
  }

  /// The new key, prepared to sign an authentication before the key is stored.
  ///
  /// Its counter is stored together with the key.
  ///
  /// - Throws: ``Ending``.
  mutating func signer() throws(Ending) -> KeySigner {
    guard var key = made else { throw Ending(.cannotUse, log: "no key was made") }
    do {
      let counter = try key.countSignature()
      made = key
      return try KeySigner(key, counter: counter, nonce: RandomBytes.make(16), unlocked: unlocked)
    } catch let error as Ending { throw error } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  mutating func sign(_ keyRegistrationData: [UInt8]) throws(SigningFailure) -> [UInt8] {
    try sign(keyRegistrationData, as: .uaf)
  }

  mutating func sign(credentialData: [UInt8]) throws(SigningFailure) -> [UInt8] {
    try sign(credentialData, as: .webAuthn)
  }

  private func sign(_ data: [UInt8], as keyProtocol: KeyProtocol) throws(SigningFailure) -> [UInt8] {
    guard let made else { throw SigningFailure(.cannotUse, detail: "no key was made") }
    do throws(StateError) { return try unlocked.authenticator.sign(data, with: made, as: keyProtocol) } catch {
      throw SigningFailure(.cannotUse, detail: "\(error)")
    }
  }
}
