import SecretMemory
import UAFCrypto
import UAFMessages

/// The one-time codes with which a person registers; one open code per account.
///
/// A store keeps not the code but a key that is derived from it, sealed (``EnrolmentSeal``). Wrong codes are not counted: a
/// code has 75 random bits, so guessing is hopeless, and anybody could use up a limit to block an account.
package protocol Enrolments {
  /// Opens a code, and closes an earlier code of the account.
  ///
  /// - Parameters:
  ///   - sealedKey: the result of ``EnrolmentSeal/seal(_:for:nonce:)``.
  ///   - expiresAt: seconds since 1970.
  func open(_ sealedKey: [UInt8], for username: String, expiresAt: Int64) throws

  /// The account's open code; nil if it has expired or was used, or if there is none.
  ///
  /// - Parameter now: seconds since 1970.
  func find(for username: String, now: Int64) throws -> OpenEnrolment?

  /// Reserves the code for one challenge; an earlier request that reserved it can no longer be answered.
  func reserve(id: Int64, challengeHash: [UInt8]) throws

  /// Whether the code is open and reserved by this challenge.
  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool

  /// Closes the code permanently.
  ///
  /// - Returns: false if it was closed in the meantime.
  @discardableResult func consume(id: Int64) throws -> Bool

  /// Closes the account's code, if one is open.
  func close(for username: String) throws

  /// Closes all open codes.
  func closeAll() throws
}

/// An enrolment code that somebody can register with.
package struct OpenEnrolment: Equatable, Sendable {
  package let id: Int64
  /// The result of ``EnrolmentSeal/seal(_:for:nonce:)``.
  package let sealedKey: [UInt8]

  package init(id: Int64, sealedKey: [UInt8]) {
    self.id = id
    self.sealedKey = sealedKey
  }
}

/// Seals the keys that are derived from enrolment codes, and checks statements that are authenticated with these keys.
///
/// A store has these keys only in a form that is sealed by the server's secret. So nobody can register with a copy of the store
/// alone. The codes themselves are not kept.
package struct EnrolmentSeal: Sendable {
  let keys: ServerKeys

  /// How many random bytes a seal needs.
  package static let nonceByteCount = AES256GCM.nonceByteCount

  private static let purpose = "enrolment code"

  package init(keys: ServerKeys) { self.keys = keys }

  /// Seals the key of a code for an account: the value that ``Enrolments/open(_:for:expiresAt:)`` stores.
  ///
  /// - Parameter nonce: 12 random bytes.
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  package func seal(_ code: EnrolmentCode, for username: String, nonce: [UInt8]) throws -> [UInt8] {
    let info = EnrolmentCode.keyInfo(username: username)
    let key = try Self.key(of: code, info)
    guard let sealing = try keys.authenticationCodes(Self.purpose, info).first else { return [] }
    return nonce
      + (try AES256GCM.seal(key, key: Secret(copying: sealing.span), nonce: nonce, additionalData: info))
  }

  /// The proof that somebody has a code: what a client sends with a request for a registration.
  ///
  /// Its key is derived slowly, so nobody makes it inside a transaction.
  ///
  /// - Returns: what ``isProof(_:by:for:)`` checks.
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  package static func proof(of code: EnrolmentCode, for username: String) throws -> [UInt8] {
    let key = try key(of: code, EnrolmentCode.keyInfo(username: username))
    return try HMACSHA256.authenticate(EnrolmentCode.registrationStatement(username: username), key: key)
  }

  /// Whether a proof was made with the code to which a stored key belongs.
  ///
  /// It takes the same time if no code is open.
  ///
  /// - Parameter sealedKey: the stored value; nil if no code is open.
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  package func isProof(_ proof: [UInt8], by sealedKey: [UInt8]?, for username: String) throws -> Bool {
    try isValid(proof, of: EnrolmentCode.registrationStatement(username: username), by: sealedKey, for: username)
  }

  /// Whether a statement is authenticated with the key of a code, compared in constant time.
  ///
  /// It takes the same time if no code is open.
  ///
  /// - Parameter sealedKey: the stored value; nil if no code is open.
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  func isValid(
    _ code: [UInt8], of statement: [UInt8], by sealedKey: [UInt8]?, for username: String
  ) throws -> Bool {
    let info = EnrolmentCode.keyInfo(username: username)
    let stored = sealedKey ?? [UInt8](repeating: 0, count: Self.byteCount)
    let nonce = Array(stored.prefix(AES256GCM.nonceByteCount))
    // Every accepted secret is tried: the one that sealed the key may have been replaced since.
    for sealing in try keys.authenticationCodes(Self.purpose, info) {
      let sealingKey = try Secret(copying: sealing.span)
      let key: Secret
      do throws(CryptoError) {
        key = try AES256GCM.open(
          Array(stored.dropFirst(nonce.count)), key: sealingKey, nonce: nonce, additionalData: info)
      } catch {
        guard error == .authenticationFailed else { throw error }
        _ = try HMACSHA256.authenticate(statement, keyInOrdinaryMemory: sealing)
        continue
      }
      return try HMACSHA256.isValid(code, of: statement, key: key)
    }
    return false
  }

  private static func key(of code: EnrolmentCode, _ info: [UInt8]) throws -> Secret {
    try EnteredCodeKey.derive(
      from: code.keyMaterial, for: info, isStretched: code.isStretched, length: EnrolmentCode.keyByteCount)
  }

  private static let byteCount = AES256GCM.nonceByteCount + EnrolmentCode.keyByteCount + AES256GCM.tagByteCount
}

/// The record of an issued enrolment code: for whom, by whom, and whether it was used.
///
/// It does not contain the code.
package struct IssuedCode: Equatable, Sendable {
  package let number: Int64
  package let username: String
  /// In the form of ``AuditActor/text``.
  package let issuedBy: String
  /// Whether the code may be for a privileged account.
  ///
  /// A key that is registered with it is then accepted for the steps of administrators.
  package let reachesPrivileged: Bool
  /// In seconds since 1970, like the times below.
  package let issuedAt: Int64
  package let expiresAt: Int64
  /// nil if nobody has registered with it.
  package let usedAt: Int64?
  /// Whether somebody can register with it now.
  package let isOpen: Bool

  package init(
    number: Int64, username: String, issuedBy: String, reachesPrivileged: Bool = false, issuedAt: Int64,
    expiresAt: Int64,
    usedAt: Int64?, isOpen: Bool
  ) {
    self.number = number
    self.username = username
    self.issuedBy = issuedBy
    self.reachesPrivileged = reachesPrivileged
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.usedAt = usedAt
    self.isOpen = isOpen
  }
}

/// The records of the issued enrolment codes: the issuer and the outcome of each, but not the codes themselves.
package protocol IssuedCodes {
  /// Notes the issuer of the code that is open for an account.
  ///
  /// - Parameters:
  ///   - issuer: in the form of ``AuditActor/text``.
  ///   - reachesPrivileged: whether the code may be for a privileged account, so that a key that is registered with it is
  ///     accepted for the steps of administrators.
  ///   - now: seconds since 1970.
  func add(for username: String, by issuer: String, reachesPrivileged: Bool, now: Int64) throws

  /// The record of a code; nil if there is none.
  ///
  /// - Parameter number: ``OpenEnrolment/id`` of the code, as ``Enrolments/find(for:now:)`` returns it.
  func code(_ number: Int64) throws -> IssuedCode?

  /// The accounts with a code that was not closed, and that may not be for a privileged account or has no known issuer.
  func accountsWithLesserCodes() throws -> [String]

  /// The accounts with a code that was not closed, issued by somebody.
  ///
  /// - Parameter issuer: in the form of ``AuditActor/text``.
  func accounts(withCodesBy issuer: String) throws -> [String]

  /// Notes that somebody has registered with a code.
  ///
  /// - Parameter number: ``OpenEnrolment/id`` of the code, as ``Enrolments/find(for:now:)`` returns it.
  func markUsed(_ number: Int64, now: Int64) throws

  /// Codes, the newest first.
  ///
  /// - Parameters:
  ///   - number: codes with lower numbers; nil for the first page.
  ///   - isOpen: only those that somebody can register with now.
  ///   - limit: how many at most.
  func page(before number: Int64?, onlyOpen isOpen: Bool, limit: Int, now: Int64) throws -> [IssuedCode]

  /// How many codes were issued; at most `limit` are counted.
  func count(upTo limit: Int) throws -> Int
}

/// The codes that are issued for one registration or one text.
package enum OneTimeCode {
  /// The stored value of a code, 32 bytes.
  ///
  /// A plain hash will do: a code has 160 random bits, so nobody can guess it.
  package static func hash(_ code: String) throws -> [UInt8] {
    try SHA256.hash(Array(code.utf8))
  }
}
