import UAFCrypto
import UAFMessages

/// What a machine's report says of accounts, checked: it counts only for accounts that have a key on that machine, and only with
/// a code that the secret makes which the server gave with such a key.
///
/// So neither a machine that joined under another one's id, nor one on which the account has no key, speaks of an account.
struct AccountProofs {
  private let proofs: MachineProofs
  private let machineID: [UInt8]
  private var keys: [String: [KeyID]] = [:]

  /// The most keys of a machine that are looked at.
  static let mostKeys = 1000
  /// The most keys of one account: each costs a few HMACs for each code.
  private static let mostOfAccount = 16

  /// - Parameters:
  ///   - machineID: the machine's number since it has joined.
  ///   - keys: the keys on that machine; revoked ones prove nothing.
  init(_ keys: [KeyRecord], on machineID: [UInt8], _ proofs: MachineProofs) {
    self.proofs = proofs
    self.machineID = machineID
    for key in keys.reversed() where key.revocation == nil {
      guard self.keys[key.username, default: []].count < Self.mostOfAccount else { continue }
      self.keys[key.username, default: []].append(key.keyID)
    }
  }

  /// - Throws: ``CryptoError``.
  func isProved(_ note: OfflineLoginNote) throws -> Bool {
    try isMade(note.code, over: note.authenticated(on: machineID), for: note.account)
  }

  /// - Throws: ``CryptoError``.
  func isProved(_ lock: ReportedLock) throws -> Bool {
    guard let code = lock.code else { return false }
    return try isMade(code, over: lock.authenticated(on: machineID), for: lock.account)
  }

  private func isMade(_ code: [UInt8], over message: [UInt8], for account: String) throws -> Bool {
    guard let keys = keys[account] else { return false }
    return try proofs.possibleSecrets(of: account, holding: keys).contains { secret in
      let expected = try HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret.secret)
      return HMACSHA256.isEqual(code, expected)
    }
  }
}
