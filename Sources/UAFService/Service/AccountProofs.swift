import UAFCrypto
import UAFMessages

/// Checks what a machine's report says of accounts.
///
/// It counts only for an account with a key on that machine, and only with a MAC by the secret that the server gave
/// with such a key. So a machine that joined under another one's ID, or has no key of the account, cannot report on it.
struct AccountProofs {
  private let proofs: MachineProofs
  private let machineID: [UInt8]
  private var keys: [String: [KeyID]] = [:]
  /// Those of the accounts that were asked for: a report names an account up to 64 times.
  private var secrets: [String: [MachineSecret]] = [:]

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
  mutating func isProved(_ note: OfflineLoginNote) throws -> Bool {
    try isMade(note.code, over: note.authenticated(on: machineID), for: note.account)
  }

  /// - Throws: ``CryptoError``.
  mutating func isProved(_ lock: ReportedLock) throws -> Bool {
    guard let code = lock.code else { return false }
    return try isMade(code, over: lock.authenticated(on: machineID), for: lock.account)
  }

  private mutating func isMade(_ code: [UInt8], over message: [UInt8], for account: String) throws -> Bool {
    try possibleSecrets(of: account).contains { secret in
      let expected = try HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret.secret)
      return HMACSHA256.isEqual(code, expected)
    }
  }

  private mutating func possibleSecrets(of account: String) throws -> [MachineSecret] {
    if let known = secrets[account] { return known }
    let made = try keys[account].map { try proofs.possibleSecrets(of: account, holding: $0) } ?? []
    secrets[account] = made
    return made
  }
}
