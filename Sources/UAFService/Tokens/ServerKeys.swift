import SecretMemory
import Synchronization
import UAFCrypto
import UAFMessages

/// The server's keys: secrets for its authentication codes, keys that sign verdicts and heads of the audit, and the
/// secret that decoys are made of.
package final class ServerKeys: Sendable {
  /// The keys that are rotated.
  package struct Rings: Sendable {
    package let secrets: KeyRing<ServerSecret>
    package let verdictKeys: KeyRing<TokenKey>
    /// The keys that sign heads of the audit.
    package let auditKeys: KeyRing<TokenKey>

    package init(
      secrets: KeyRing<ServerSecret>, verdictKeys: KeyRing<TokenKey>, auditKeys: KeyRing<TokenKey>
    ) {
      self.secrets = secrets
      self.verdictKeys = verdictKeys
      self.auditKeys = auditKeys
    }
  }

  private let held: Mutex<Rings>
  /// Never rotated.
  ///
  /// With another one, made-up names would get other keys, and real ones would not.
  package let decoySecret: ServerSecret
  /// The public key of every decoy.
  ///
  /// Nobody has its private key.
  let decoyPublicKey: [UInt8]
  private let now: @Sendable () -> Int64

  /// Takes all keys.
  ///
  /// - Parameter now: seconds since 1970.
  package init(_ rings: Rings, decoySecret: ServerSecret, now: @escaping @Sendable () -> Int64) throws {
    held = Mutex(rings)
    self.decoySecret = decoySecret
    decoyPublicKey = try P256.generate().publicKey
    self.now = now
  }

  package var rings: Rings { held.withLock { $0 } }

  /// Takes other keys in place of those that are rotated; what goes on meanwhile uses either.
  package func replace(by rings: Rings) {
    held.withLock { $0 = rings }
  }

  // MARK: Authentication codes

  /// HMAC-SHA-256 of a message with the secret in use; `purpose` keeps the codes of different uses apart.
  func authenticationCode(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    try rings.secrets.current(at: now()).code(purpose, message)
  }

  /// The same under each secret that is accepted, the one in use first.
  func authenticationCodes(_ purpose: String, _ message: [UInt8]) throws -> [[UInt8]] {
    try rings.secrets.accepted(at: now()).map { try $0.code(purpose, message) }
  }

  /// Whether a code is the one of this message and purpose, by a secret that is in use, was until a day ago, or will be.
  func isValid(_ code: [UInt8], _ purpose: String, _ message: [UInt8]) throws -> Bool {
    try rings.secrets.accepted(at: now()).contains { try $0.isValid(code, purpose, message) }
  }

  /// The ids of the secrets that are accepted, the one in use first.
  var secretIDs: [String] { rings.secrets.accepted(at: now()).map(\.id) }

  /// What decoys are made of: HMAC-SHA-256 of a message with the secret that is never rotated.
  func decoyCode(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    try decoySecret.code(purpose, message)
  }

  // MARK: Verdicts

  /// The key that signs verdicts now.
  package var verdictKey: TokenKey { rings.verdictKeys.current(at: now()) }

  /// Claims as a token that the key of verdicts signs, of a type that keeps it apart from a verdict.
  func statement(_ claims: JSONValue, _ use: TokenKey.Use) throws -> String {
    let key = verdictKey
    let signed = "\(TokenKey.header(key.id, use)).\(Base64URL.encode(claims.bytes))"
    return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
  }

  /// The key that has signed a token with this header; nil if none that is accepted has.
  func verdictKey(ofHeader header: String) -> TokenKey? {
    rings.verdictKeys.accepted(at: now()).first { $0.header == header }
  }

  /// The public keys of the verdicts to come, PEM, the one in use first.
  package var announcedPEM: [UInt8] { rings.verdictKeys.announced(at: now()).flatMap(\.publicKeyPEM) }

  /// The public keys of all verdicts that are good, PEM, for `verdict.pub`.
  package var acceptedPEM: [UInt8] { rings.verdictKeys.accepted(at: now()).flatMap(\.publicKeyPEM) }

  // MARK: Audit

  /// The key that signs heads of the audit now.
  var auditKey: TokenKey { rings.auditKeys.current(at: now()) }

  /// The public halves of those keys for heads that the server still has.
  var auditHeadKeys: AuditHeadKeys { AuditHeadKeys(rings.auditKeys.entries.map(\.key)) }
}
