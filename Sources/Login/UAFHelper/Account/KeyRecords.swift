import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFCrypto
import UAFMessages
import WebAuthn

/// The registered keys of an account: prepares them for signing, and stores the status that the server gives for them.
@safe final class KeyRecords {
  private let call: Call
  private let accounts: AccountAccess
  private let log: CallLog

  init(for call: Call, _ accounts: AccountAccess, _ log: CallLog) {
    self.call = call
    self.accounts = accounts
    self.log = log
  }

  /// Prepares a key for one signature.
  ///
  /// Its next counter is written to the disk before it signs.
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
    // A status 1403 applies to the account, whichever key was used, so it is cleared from all keys.
    let refused = try accounts.keys(of: account).filter { key in
      key.serverStatus != 0 && (key.isForbidden || types.contains(key.type))
    }
    try note(0, of: AuthenticatorType.allCases.filter { type in refused.contains { $0.type == type } }, account)
  }

  /// The ending if the server has seen a higher counter than this state folder has: an older copy of the folder was restored.
  ///
  /// Trying again does not help, and the counter is not raised, because the attempts and locks since that copy are lost as
  /// well. The key's status is set, so that `uafctl status` and `doctor` can report it. Nil if this folder has meanwhile
  /// reached that counter, because another login of this person was faster.
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
        + "\(key.signCounter): an older copy was restored, or another machine has the key; 'uafctl "
        + "repair' makes a new one"
    )
  }

  /// Stores what the refusal of a login says about the keys, and makes the ending of the call.
  ///
  /// Call this only for a login: if the server forbids a login (1403), the account may be disabled or locked. If it forbids
  /// something else, such as deleting the last administrator's keys, that says nothing about the account.
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
      // If the server has none of this machine's keys, its request names only other keys with this AAID.
      try note(UAFStatusCode.unknownKeyID.rawValue, of: ending.server.forgottenTypes, account)
    }
    // If there were several signatures, the server does not say which key it means.
    let isOne = refusal.serverStatus == UAFStatusCode.unknownKeyID.rawValue && types.count == 1
    return isOne ? ending.forgetting(types) : ending
  }

  /// Stores the new machine secret.
  ///
  /// If it cannot be written, the server's success is still valid; the server will send the secret again.
  ///
  /// - Parameter place: SHA-256 of the server's addresses.
  func note(_ secret: MachineSecret?, of place: [UInt8], _ account: AccountFile) {
    guard let secret else { return }
    let record = MachineRecord(machineID: secret.machineID, secret: secret.secret, place: place)
    do throws(StateError) { try record.store(in: account) } catch {
      log.write(.state, "the secret by which the server knows this machine could not be stored: \(error)", .warning)
    }
  }

  /// Stores a status that the server gave, for the keys of these types.
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
  /// Whether the server refused the request as forbidden (1403).
  var isForbidden: Bool { spokenByServer && serverStatus == UAFStatusCode.forbidden.rawValue }
}

extension RegisteredKey {
  /// Whether the key's last status from the server is "revoked".
  var isRevoked: Bool { serverStatus == UAFStatusCode.revokedAuthenticator.rawValue }

  /// The status that is stored for a key if the server has seen more signatures than this machine has made.
  ///
  /// It is not a number that a server sends: its status 1491 can have other causes as well, so a bit is added to it here.
  static let behindStatus = 1 << 31 | UAFStatusCode.requestInvalid.rawValue

  /// Whether the server has seen a higher counter than this machine has: the state folder is an older copy, or two machines
  /// have the key.
  var isBehind: Bool { serverStatus == Self.behindStatus }

  /// Whether the server forbade the account's last request: the account may be disabled or locked.
  var isForbidden: Bool { serverStatus == UAFStatusCode.forbidden.rawValue }

  /// Whether the server is known to refuse logins with this key until somebody repairs the key or allows the account again.
  var isRefused: Bool { needsRepair || isForbidden }

  /// Whether the server is known to refuse the key itself, regardless of the account's state.
  var needsRepair: Bool { isDead || isBehind }

  /// Whether, according to the server's last status, the key is revoked, or the server does not know the key, the AAID or the
  /// account.
  var isDead: Bool {
    let unknown: [UAFStatusCode] = [.notFound, .unknownAAID, .unknownKeyID]
    return isRevoked || unknown.contains(UAFStatusCode(rawValue: serverStatus))
  }
}

extension AuthenticationOffer {
  /// The key of this type that the offer accepts; nil if there is none.
  ///
  /// - Parameter keys: the keys to choose from, the preferred one last.
  func key(of type: AuthenticatorType, among keys: [RegisteredKey]) -> RegisteredKey? {
    let named = sets.joined().flatMap { $0.keyIDs.map(\.bytes) }
    return keys.last { $0.type == type && $0.appID == appID && named.contains($0.keyID) }
  }
}

/// The keys that signed a proof.
///
/// Until the call ends, they can authorise new keys.
struct SignedKeys {
  let held: AccountAuthenticators
  let keys: [RegisteredKey]
  let records: KeyRecords

  /// The descriptions of the authenticators that have these keys.
  var described: [AuthenticatorDescription] { AuthenticatorDescription.all(of: keys.map(\.type), keys: keys) }

  /// Prepares a key for one more signature.
  ///
  /// - Throws: ``Ending``.
  func signer(_ index: Int) throws(Ending) -> KeySigner {
    guard keys.indices.contains(index), let unlocked = held[keys[index].type] else {
      throw Ending(.cannotUse, log: "the authenticator is not open")
    }
    return try records.signer(keys[index], held.account, unlocked)
  }
}

/// One registered key, opened for one signature; its counter is already on the disk.
struct KeySigner: AssertionSigner, CredentialSigner {
  let aaid: AAID
  let authenticatorVersion: UInt16 = 1
  let keyID: KeyID
  let signCounter: UInt32
  let nonce: [UInt8]
  private let key: RegisteredKey
  private let unlocked: UnlockedAuthenticatorBox

  /// - Throws: ``Ending`` if the record of the key is not valid.
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

  var algorithm: COSEAlgorithm {
    switch key.algorithm {
    case .es256: .es256
    case .ed25519: .edDSA
    }
  }

  func sign(_ signedData: [UInt8]) throws(SigningFailure) -> [UInt8] { try sign(signedData, as: .uaf) }

  func sign(credentialData: [UInt8]) throws(SigningFailure) -> [UInt8] { try sign(credentialData, as: .webAuthn) }

  private func sign(_ data: [UInt8], as keyProtocol: KeyProtocol) throws(SigningFailure) -> [UInt8] {
    do throws(StateError) { return try unlocked.authenticator.sign(data, with: key, as: keyProtocol) } catch {
      throw SigningFailure(.cannotUse, detail: "\(error)")
    }
  }
}
