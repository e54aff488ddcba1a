import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFCrypto
import UAFMessages

/// The registered keys of an account: makes them ready to sign, and stores what the server says about them.
@safe final class KeyRecords {
  private let call: Call
  private let accounts: AccountAccess
  private let log: CallLog

  init(for call: Call, _ accounts: AccountAccess, _ log: CallLog) {
    self.call = call
    self.accounts = accounts
    self.log = log
  }

  /// Makes a key ready for one signature.
  ///
  /// Its next counter is on the disk before it signs.
  ///
  /// - Throws: ``Ending``.
  func signer(
    _ key: RegisteredKey, _ account: AccountFile, _ unlocked: UnlockedAuthenticatorBox
  ) throws(Ending) -> KeySigner {
    do {
      let counter = try account.nextSignCounter(key.keyID)
      return try KeySigner(key, counter: counter, nonce: RandomBytes.make(16), unlocked: unlocked)
    } catch let error as StateError { throw Ending(error) } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// Clears the stored status of keys that the server has just accepted.
  ///
  /// If that cannot be written, the login does not fail.
  ///
  /// - Throws: ``Ending`` if the keys cannot be read.
  func noteAccepted(_ account: AccountFile, _ types: [AuthenticatorType]) throws(Ending) {
    // What the server forbade, it forbade to the account, whichever key was used.
    let refused = try accounts.keys(of: account).filter { key in
      key.serverStatus != 0 && (key.isForbidden || types.contains(key.type))
    }
    try note(0, of: AuthenticatorType.allCases.filter { type in refused.contains { $0.type == type } }, account)
  }

  /// The ending if the server has seen a counter that this state folder has not reached: an older copy was restored.
  ///
  /// A second try does not help. The counter is not raised, because the attempts and locks since that copy are lost as well. The
  /// key's status is set, so that status and doctor can name it. Nil if another login of this person was faster: its counter is
  /// in this state folder.
  ///
  /// - Throws: ``Ending`` if the keys cannot be read.
  func olderState(_ refusal: Refusal, _ account: AccountFile) throws(Ending) -> Ending? {
    guard let seen = refusal.seenCounter,
      let key = try accounts.keys(of: account).first(where: { $0.keyID == seen.keyID.bytes }),
      key.signCounter < seen.signCounter
    else { return nil }
    try note(RegisteredKey.behindStatus, of: [key.type], account)
    return Ending(refusal).saying(
      .stateIsOlder,
      log:
        "the server has seen signature \(seen.signCounter) of the key, and this state folder has counted "
        + "\(key.signCounter): an older copy was restored, or another machine has the key; 'uafctl repair --code "
        + "FILE' makes a new one"
    )
  }

  /// Stores what the refusal of a login says about the keys, and makes the ending from it.
  ///
  /// If the server forbids a login (1403), the account may be disabled or locked. If it forbids anything else, such as deleting
  /// the last administrator's keys, that says nothing about the account.
  ///
  /// - Throws: ``Ending`` if the keys cannot be read.
  func noted(
    _ refusal: Refusal, _ account: AccountFile, _ types: [AuthenticatorType]
  ) throws(Ending) -> Ending {
    let ending = Ending(refusal)
    if refusal.isForbidden {
      accounts.noteForbidden()
    } else if refusal.spokenByServer, let status = refusal.serverStatus {
      try note(status, of: types, account)
    } else if !types.isEmpty {
      // A server that has none of this machine's keys names different keys of the model in its request.
      try note(UAFStatusCode.unknownKeyID.rawValue, of: ending.server.forgottenTypes, account)
    }
    // With several signatures the server does not say which key it means.
    let isOne = refusal.serverStatus == UAFStatusCode.unknownKeyID.rawValue && types.count == 1
    return isOne ? ending.forgetting(types) : ending
  }

  /// Stores the machine secret that is valid from now on.
  ///
  /// If it cannot be written, the server's success is still valid: the server gives the secret again.
  ///
  /// - Parameter place: SHA-256 of the server's addresses.
  func note(_ secret: MachineSecret?, of place: [UInt8], _ account: AccountFile) {
    guard let secret else { return }
    let record = MachineRecord(machineID: secret.machineID, secret: secret.secret, place: place)
    do throws(StateError) { try record.store(in: account) } catch {
      log.write(.state, "the secret by which the server knows this machine could not be stored: \(error)", .warning)
    }
  }

  /// Stores the server's status of the keys of some types.
  ///
  /// If that cannot be written, the login does not fail.
  private func note(_ status: UInt32, of types: [AuthenticatorType], _ account: AccountFile) throws(Ending) {
    for key in try accounts.keys(of: account) where types.contains(key.type) {
      do throws(StateError) { try account.mark(key.keyID, serverStatus: status) } catch {
        log.write(.state, "the server's status \(status) could not be recorded: \(error)", .warning)
      }
    }
  }
}

extension Refusal {
  /// Whether the server forbids the request (1403).
  var isForbidden: Bool { spokenByServer && serverStatus == UAFStatusCode.forbidden.rawValue }
}

extension RegisteredKey {
  /// Whether the server's last status of the key is that it is revoked.
  var isRevoked: Bool { serverStatus == UAFStatusCode.revokedAuthenticator.rawValue }

  /// The status that is stored for a key if the server has seen more signatures than this machine has made.
  ///
  /// No server gives this number: 1491 alone has other causes as well.
  static let behindStatus = 1 << 31 | UAFStatusCode.requestInvalid.rawValue

  /// Whether the server has seen a counter that this machine has not reached: the state is an older copy, or two machines have
  /// the key.
  var isBehind: Bool { serverStatus == Self.behindStatus }

  /// Whether the server forbade the account's last request: the account may be disabled or locked.
  var isForbidden: Bool { serverStatus == UAFStatusCode.forbidden.rawValue }

  /// Whether the server is known to refuse each login with the key until something is done about it.
  var isRefused: Bool { needsRepair || isForbidden }

  /// Whether the server is known to refuse this key, whatever it says about the account.
  var needsRepair: Bool { isDead || isBehind }

  /// Whether the server's last status is that the key is revoked, or that it has no such key, model or account.
  var isDead: Bool {
    let unknown: [UAFStatusCode] = [.notFound, .unknownAAID, .unknownKeyID]
    return isRevoked || unknown.contains(UAFStatusCode(rawValue: serverStatus))
  }
}

extension AuthenticationOffer {
  /// The key of an authenticator that signs for this offer; nil if none fits.
  ///
  /// - Parameter keys: the keys to choose from, the preferred one last.
  func key(of type: AuthenticatorType, among keys: [RegisteredKey]) -> RegisteredKey? {
    let named = sets.joined().flatMap { $0.keyIDs.map(\.bytes) }
    return keys.last { $0.type == type && $0.appID == appID && named.contains($0.keyID) }
  }
}

/// The keys that signed a proof and can authorise new keys until the call ends.
struct SignedKeys {
  let held: AccountAuthenticators
  let keys: [RegisteredKey]
  let records: KeyRecords

  /// The descriptions of their authenticators.
  var described: [AuthenticatorDescription] { AuthenticatorDescription.all(of: keys.map(\.type), keys: keys) }

  /// Makes a key ready for one more signature.
  ///
  /// - Throws: ``Ending``.
  func signer(_ index: Int) throws(Ending) -> KeySigner {
    guard keys.indices.contains(index), let unlocked = held[keys[index].type] else {
      throw Ending(.cannotUse, log: "the authenticator is not open")
    }
    return try records.signer(keys[index], held.account, unlocked)
  }
}

/// One registered key, open for one signature, with its counter already on disk.
struct KeySigner: AssertionSigner, CredentialSigner {
  let aaid: AAID
  let authenticatorVersion: UInt16 = 1
  let keyID: KeyID
  let signCounter: UInt32
  let nonce: [UInt8]
  private let key: RegisteredKey
  private let unlocked: UnlockedAuthenticatorBox

  /// - Throws: ``Ending`` for a key whose record is not valid.
  init(_ key: RegisteredKey, counter: UInt32, nonce: [UInt8], unlocked: UnlockedAuthenticatorBox) throws(Ending) {
    do {
      aaid = try AAID(key.type.aaid)
      keyID = try KeyID(bytes: key.keyID)
    } catch { throw Ending(StateError.damaged) }
    signCounter = counter
    self.nonce = nonce
    self.key = key
    self.unlocked = unlocked
  }

  var userHandle: [UInt8] { key.userHandle }

  func sign(_ signedData: [UInt8]) throws(SigningFailure) -> [UInt8] { try sign(signedData, as: .uaf) }

  func sign(credentialData: [UInt8]) throws(SigningFailure) -> [UInt8] { try sign(credentialData, as: .webAuthn) }

  private func sign(_ data: [UInt8], as keyProtocol: KeyProtocol) throws(SigningFailure) -> [UInt8] {
    do throws(StateError) { return try unlocked.authenticator.sign(data, with: key, as: keyProtocol) } catch {
      throw SigningFailure(.cannotUse, detail: "\(error)")
    }
  }
}
