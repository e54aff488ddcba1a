import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// Does what a login does with an account's file, but with a stand-in account that exists only in memory.
///
/// A program runs it before its call arrives, so that SQLite and Swift's runtime have already initialised. No file of an
/// account is opened, and no key is derived.
public enum AccountRehearsal {
  /// Opens the account, counts an attempt and clears it.
  ///
  /// - Returns: the counter that a signature would have.
  /// - Throws: ``StateError``.
  @discardableResult
  public static func run() throws(StateError) -> UInt32 {
    // SQLite took random numbers for the journal. Without this call, a copy of this process would take the same ones next.
    defer { Database.forgetRandomNumbers() }
    let records = try self.records()
    let now = BootTime(bootID: [0], nanoseconds: 0, wallSeconds: 0)
    guard let enrolled = try records.authenticator(type) else { throw .absent }
    let account = AccountFile(records, refusalMark: nil)
    _ = try account.ledger(type, at: now).status(.local, at: now, policy: .localDefault)
    guard case .charged(let ticket) = try account.charge(type, .local, at: now, policy: .localDefault) else {
      throw .damaged
    }
    try account.settle(type, ticket: ticket, of: enrolled)
    guard let key = try records.keys().first, let counted = account.counter.take(for: key) else { throw .absent }
    return counted
  }

  private static let type = AuthenticatorType.passcode

  /// An account with a secret and a key that no entry opens.
  private static func records() throws(StateError) -> AccountRecords {
    let zeros = [UInt8](repeating: 0, count: 32)
    let key: Secret
    do { key = try Secret(copying: zeros.span) } catch { throw .cryptography }
    let records = try AccountRecords(ofNobodyUnder: key)
    try records.write { () throws(StateError) in
      try records.sealed.put(.identity, body: records.identity.record, of: nil)
      try records.put(
        EnrolledAuthenticator(
          salt: zeros, cost: Scrypt.Parameters(logN: 10, r: 8, p: 1), nonce: zeros, sealedKey: zeros), type)
      try records.put(AttemptLedger(), type)
      try records.put(
        RegisteredKey(type: type, appID: "", keyID: zeros, publicKey: zeros, nonce: zeros, sealedPrivateKey: zeros))
    }
    try records.requireIdentity()
    return records
  }
}
