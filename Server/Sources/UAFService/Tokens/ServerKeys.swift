import Foundation
import SecretMemory
import Synchronization
import UAFCrypto
import UAFMessages

/// The server's keys and secrets.
///
/// Secrets for its authentication codes and for machines; keys that sign verdicts and heads of the audit; and the secret from
/// which decoys are computed.
package final class ServerKeys: Sendable {
  /// The keys that are rotated.
  package struct Rings: Sendable {
    package let secrets: KeyRing<ServerSecret>
    package let verdictKeys: KeyRing<TokenKey>
    /// The keys that sign heads of the audit.
    package let auditKeys: KeyRing<TokenKey>
    /// The secrets from which the machines' secrets are computed.
    package let machineSecrets: KeyRing<ServerSecret>

    /// Takes the keys.
    ///
    /// - Parameter machineSecrets: nil for those of the session data.
    package init(
      secrets: KeyRing<ServerSecret>, verdictKeys: KeyRing<TokenKey>, auditKeys: KeyRing<TokenKey>,
      machineSecrets: KeyRing<ServerSecret>? = nil
    ) {
      self.machineSecrets = machineSecrets ?? secrets
      self.secrets = secrets
      self.verdictKeys = verdictKeys
      self.auditKeys = auditKeys
    }
  }

  private let held: Mutex<Rings>
  /// Never rotated.
  ///
  /// After a rotation, names without credentials would get different decoys, while real accounts keep their keys: that would
  /// show which are which.
  package let decoySecret: ServerSecret
  /// The public key of every decoy.
  ///
  /// Its private key is thrown away.
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

  /// Replaces the keys that are rotated; an operation that is running may still use the old ones.
  package func replace(by rings: Rings) {
    held.withLock { $0 = rings }
  }

  // MARK: Authentication codes

  /// HMAC-SHA-256 of a message with the secret in use; `purpose` keeps the codes of different uses apart.
  func authenticationCode(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    try rings.secrets.current(at: now()).code(purpose, message)
  }

  /// The code under each accepted secret, the one in use first.
  func authenticationCodes(_ purpose: String, _ message: [UInt8]) throws -> [[UInt8]] {
    try rings.secrets.accepted(at: now()).map { try $0.code(purpose, message) }
  }

  /// Whether a code is right for this message and purpose under any accepted secret: the one in use, those replaced less than a
  /// day ago, and those that will be used next.
  func isValid(_ code: [UInt8], _ purpose: String, _ message: [UInt8]) throws -> Bool {
    try rings.secrets.accepted(at: now()).contains { try $0.isValid(code, purpose, message) }
  }

  /// HMAC-SHA-256 of a message with the secret for machines that is in use.
  func machineCode(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    try rings.machineSecrets.current(at: now()).code(purpose, message)
  }

  /// The code under each accepted secret for machines, the one in use first.
  func machineCodes(_ purpose: String, _ message: [UInt8]) throws -> [[UInt8]] {
    try rings.machineSecrets.accepted(at: now()).map { try $0.code(purpose, message) }
  }

  /// The ids of the secrets for machines that are accepted, the one in use first.
  var machineSecretIDs: [String] { rings.machineSecrets.accepted(at: now()).map(\.id) }

  /// The bytes from which decoys are computed: HMAC-SHA-256 of a message with the secret that is never rotated.
  func decoyCode(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    try decoySecret.code(purpose, message)
  }

  // MARK: Verdicts

  /// The key that signs verdicts now.
  package var verdictKey: TokenKey { rings.verdictKeys.current(at: now()) }

  /// Signs claims with the verdict key, as a token whose type differs from that of a verdict.
  func statement(_ claims: JSONValue, _ use: TokenKey.Use) throws -> String {
    let key = verdictKey
    let signed = "\(TokenKey.header(key.id, use)).\(Base64URL.encode(claims.bytes))"
    return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
  }

  /// The key that signed a token with this header; nil if no accepted key did.
  func verdictKey(ofHeader header: String) -> TokenKey? {
    rings.verdictKeys.accepted(at: now()).first { $0.header == header }
  }

  /// What machines that have joined are told about the verdict keys: the public keys in use and to come, 65 bytes each, and the
  /// ids of those that are no longer accepted.
  var verdictTrust: (announced: [[UInt8]], endedIDs: [String]) {
    let (ring, now) = (rings.verdictKeys, now())
    return (ring.announced(at: now).map(\.publicKey), ring.ended(at: now).map(\.id))
  }

  /// The verdict keys that are not used yet, each with the time from which it is used, in seconds since 1970.
  package var comingVerdictKeys: [(id: String, from: Int64)] {
    let now = now()
    let ring = rings.verdictKeys
    let current = ring.current(at: now).id
    return ring.entries.filter { $0.from > now && $0.key.id != current }.map { ($0.key.id, $0.from) }
  }

  /// The public keys with which verdicts will be verified from now on, PEM, the one in use first.
  package var announcedPEM: [UInt8] { rings.verdictKeys.announced(at: now()).flatMap(\.publicKeyPEM) }

  /// The public keys with which all valid verdicts can be verified, PEM, for `verdict.pub`.
  package var acceptedPEM: [UInt8] { rings.verdictKeys.accepted(at: now()).flatMap(\.publicKeyPEM) }

  // MARK: Audit

  /// The key that signs heads of the audit now.
  var auditKey: TokenKey { rings.auditKeys.current(at: now()) }

  /// The public keys of those keys for heads that the server still has.
  var auditHeadKeys: AuditHeadKeys { AuditHeadKeys(rings.auditKeys.entries.map(\.key)) }
}

/// The keys for one purpose, which replace each other: the next key is known before it is used, and a replaced key is accepted
/// for one more day.
///
/// So several servers can get a new key one after the other, and a code or token that was made with the old key is still valid.
package struct KeyRing<Key: Sendable>: Sendable {
  /// One key, and the time from which it is used.
  package struct Entry: Sendable {
    /// Seconds since 1970.
    package let from: Int64
    package let key: Key

    package init(from: Int64, key: Key) {
      self.from = from
      self.key = key
    }
  }

  private let first: Entry
  private let rest: [Entry]

  /// Takes the keys in the order of their use.
  ///
  /// - Returns: nil if there are no keys, or if they are not in order.
  package init?(_ entries: [Entry]) {
    guard let first = entries.first, zip(entries, entries.dropFirst()).allSatisfy({ $0.from < $1.from }) else {
      return nil
    }
    self.first = first
    rest = Array(entries.dropFirst())
  }

  /// A ring of one key, which is always in use.
  package init(_ key: Key) {
    first = Entry(from: 0, key: key)
    rest = []
  }

  package var entries: [Entry] { [first] + rest }

  /// The key that is used now.
  ///
  /// - Parameter now: seconds since 1970; before the first key's time, the first key is used.
  package func current(at now: Int64) -> Key { (rest.last { $0.from <= now } ?? first).key }

  /// The keys that are used now or later, the one in use first.
  package func announced(at now: Int64) -> [Key] {
    [current(at: now)] + rest.filter { $0.from > now }.map(\.key)
  }

  /// The keys that are accepted now, the one in use first.
  ///
  /// A key that is not used yet is accepted, too: another server's clock may be ahead.
  package func accepted(at now: Int64) -> [Key] {
    rest.isEmpty ? [first.key] : announced(at: now) + past(at: now).map(\.key)
  }

  /// The entries without those that were replaced more than a day ago.
  package func kept(at now: Int64) -> [Entry] { past(at: now) + entries.filter { !isPast($0, now) } }

  /// The keys that were replaced more than a day ago, and are still in the file.
  package func ended(at now: Int64) -> [Key] {
    zip(entries, rest).filter { $1.from <= now && now - $1.from >= KeyOverlap.seconds }.map { $0.0.key }
  }

  private func isPast(_ entry: Entry, _ now: Int64) -> Bool {
    rest.contains { $0.from <= now && $0.from > entry.from }
  }

  /// Replaced keys that are still accepted.
  private func past(at now: Int64) -> [Entry] {
    zip(entries, rest).filter { $1.from <= now && now - $1.from < KeyOverlap.seconds }.map { $0.0 }
  }
}

/// A key that signs tokens of one type, with the values that accompany its signatures.
package final class TokenKey: Sendable {
  /// What a token states; it is the `typ` of the header, so that no token can be taken for one of a different use.
  package enum Use: String, Sendable {
    case verdict = "JWT"
    case auditHead = "audit-head+jwt"
    case accountState = "account-state+jwt"
    case machineJoin = "machine-join+jwt"
    case machineCheckIn = "machine-checkin+jwt"
    case machineTrust = "machine-trust+jwt"
    case machineUnknown = "machine-unknown+jwt"
    case unlock = "unlock+jwt"
    case workstationPolicy = "workstation-policy+jwt"
  }

  private let key: SigningKey
  /// 65 bytes.
  package var publicKey: [UInt8] { key.publicKey }
  /// The public key in PEM, the form that clients receive.
  package let publicKeyPEM: [UInt8]
  /// `kid`: the first 16 hexadecimal digits of the SHA-256 of its SubjectPublicKeyInfo, DER.
  package let id: String
  /// The first part of each token that it signs.
  let header: String

  /// Takes a private key.
  ///
  /// - Throws: ``CryptoError/invalidKey`` if it is not a P-256 key.
  package init(_ privateKey: borrowing Secret, for use: Use = .verdict) throws {
    key = try SigningKey(privateKey)
    let info = try P256.subjectPublicKeyInfo(publicKey: key.publicKey)
    let lines = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    publicKeyPEM = Array("-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n".utf8)
    id = try Self.id(ofPublicKey: info)
    header = Self.header(id, use)
  }

  /// The id of a public key.
  ///
  /// - Parameter info: its SubjectPublicKeyInfo, DER.
  static func id(ofPublicKey info: [UInt8]) throws -> String {
    Hexadecimal.text(try SHA256.hash(info).prefix(8))
  }

  /// The first part of each token that is signed by the key with this id.
  static func header(_ id: String, _ use: Use) -> String {
    Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(id)","typ":"\#(use.rawValue)"}"#.utf8))
  }

  /// Signs a message; the signature has 64 bytes.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    try key.sign(message)
  }
}

/// A secret of the server, from which authentication codes are computed.
package final class ServerSecret: Sendable {
  private let key: Mutex<HMACSHA256Key>
  /// Eight hexadecimal digits by which administrators distinguish secrets; they reveal nothing else about the secret.
  package let id: String

  package init(_ secret: borrowing Secret) throws {
    var key = try HMACSHA256Key(secret)
    let message = Array("key id".utf8)
    let code = try HMACSHA256.authenticate(message, key: secret)
    // OpenSSL before 3.0.3 does not begin again with a key that is kept: every code after the first would be wrong.
    for _ in 0..<2 {
      guard try key.authenticate(message) == code else { throw CryptoError.unavailable(.hmac) }
    }
    id = Hexadecimal.text(code.prefix(4))
    self.key = Mutex(key)
  }

  /// HMAC-SHA-256 of a message; `purpose` keeps the codes of different uses apart.
  func code(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    var input: [UInt8] = []
    input.reserveCapacity(purpose.utf8.count + 1 + message.count)
    input += purpose.utf8
    input.append(0)
    input += message
    return try key.withLock { key in try key.authenticate(input) }
  }

  /// Whether a code is right for this message and purpose, compared in constant time.
  func isValid(_ code: [UInt8], _ purpose: String, _ message: [UInt8]) throws -> Bool {
    HMACSHA256.isEqual(code, try self.code(purpose, message))
  }
}

/// How long a replaced key is accepted.
package enum KeyOverlap {
  /// A day: far longer than the lifetime of any request or token, and than the error of any clock.
  package static let seconds: Int64 = 86_400
}

/// The server's verdicts: JSON web tokens signed with ES256 (RFC 7515, RFC 7519), in exactly one form.
struct VerdictToken {
  let keys: ServerKeys

  /// For how many seconds a token can be used as a proof.
  static let lifetime: Int64 = 60

  func sign(_ claims: VerdictClaims) throws -> String {
    let key = keys.verdictKey
    let signed = "\(key.header).\(Base64URL.encode(claims.json.bytes))"
    return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
  }

  /// Reads a token of this server.
  ///
  /// The header must be exactly one that this server writes, so an attacker cannot choose the algorithm. It says which key
  /// signed.
  ///
  /// - Returns: nil unless the signature is valid; the caller checks whether the token is still valid and unused.
  func claims(of token: String) -> VerdictClaims? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let key = keys.verdictKey(ofHeader: parts[0]),
      let signature = try? Base64URL.decode(parts[2], maximumCount: P256.signatureByteCount),
      P256.isValidSignature(
        signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: key.publicKey),
      let claims = try? Base64URL.decode(parts[1], maximumCount: 8192),
      let json = try? JSONValue(parsing: claims, limits: JSONLimits(maximumBytes: 8192))
    else { return nil }
    return VerdictClaims(json: json)
  }
}

/// The content of a token of this server: who did what, with which keys, when, and what it authorises.
struct VerdictClaims: Equatable, Sendable {
  /// `iss`: the AppID.
  let issuer: String
  /// `sub`: the account.
  let subject: String
  /// `op`: the operation that was completed.
  let operation: UAFOperation
  /// `purpose`: what the challenge was for, in words.
  let purpose: String
  /// `challenge`: base64url of the challenge's SHA-256.
  let challengeHash: String
  /// `iat`, seconds since 1970.
  let issuedAt: Int64
  /// `exp`, seconds since 1970.
  let expiresAt: Int64
  /// `jti`.
  let tokenID: String
  /// `use`: the operations that the token authorises; none for an ordinary login.
  var use: [UAFOperation] = []
  /// `over`: base64url of the SHA-256 of what it authorises, such as the keys to remove; nil if `use` alone says that.
  var proofSubject: String?
  /// `revoked`: base64url of `Credentials.revocationMark` when the token was made; nil unless it is a proof for further keys.
  var revocationMark: [UInt8]?
  /// `keys`: the KeyIDs that signed, were registered or were removed.
  var keyIDs: [String] = []
  /// `text`: base64url of the SHA-256 of the text that was confirmed; nil without one.
  var textHash: String?
  /// `device`: the machine whose keys were registered or removed; nil if it named none.
  var deviceID: String?
  /// `machine`: base64url of the SHA-256 of the secret that the machine receives with the token; nil if it receives none.
  var machineHash: String?

  var json: JSONValue {
    var object: JSONObject = [
      "iss": .string(issuer), "sub": .string(subject), "op": operation.json, "purpose": .string(purpose),
      "use": .array(use.map(\.json)), "challenge": .string(challengeHash), "iat": .integer(issuedAt),
      "exp": .integer(expiresAt), "jti": .string(tokenID), "keys": .array(keyIDs.map(JSONValue.string)),
    ]
    object.set("over", proofSubject.map(JSONValue.string))
    object.set("revoked", revocationMark.map { .string(Base64URL.encode($0)) })
    object.set("text", textHash.map(JSONValue.string))
    object.set("device", deviceID.map(JSONValue.string))
    object.set("machine", machineHash.map(JSONValue.string))
    return .object(object)
  }

  init(
    issuer: String, subject: String, operation: UAFOperation, purpose: ChallengePurpose, challengeHash: String,
    issuedAt: Int64, expiresAt: Int64, tokenID: String
  ) {
    self.issuer = issuer
    self.subject = subject
    self.operation = operation
    self.purpose = purpose.word
    self.challengeHash = challengeHash
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.tokenID = tokenID
  }

  /// Reads claims in the form that ``json`` writes.
  ///
  /// - Returns: nil for anything else.
  init?(json: JSONValue) {
    guard case .object(let object) = json, case .string(let issuer)? = object["iss"],
      case .string(let subject)? = object["sub"], case .string(let name)? = object["op"],
      let operation = UAFOperation(rawValue: name), case .string(let purpose)? = object["purpose"],
      case .string(let challengeHash)? = object["challenge"], case .integer(let issuedAt)? = object["iat"],
      case .integer(let expiresAt)? = object["exp"], case .string(let tokenID)? = object["jti"],
      let uses = Self.texts(object["use"]), let keyIDs = Self.texts(object["keys"])
    else { return nil }
    self.issuer = issuer
    self.subject = subject
    self.operation = operation
    self.purpose = purpose
    self.challengeHash = challengeHash
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.tokenID = tokenID
    self.keyIDs = keyIDs
    use = uses.compactMap(UAFOperation.init(rawValue:))
    guard use.count == uses.count else { return nil }
    proofSubject = Self.text(object["over"])
    revocationMark = try? Self.text(object["revoked"]).map { text in
      try Base64URL.decode(text, maximumCount: SHA256.byteCount)
    }
    textHash = Self.text(object["text"])
    deviceID = Self.text(object["device"])
    machineHash = Self.text(object["machine"])
  }

  private static func text(_ value: JSONValue?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  private static func texts(_ value: JSONValue?) -> [String]? {
    guard case .array(let values)? = value else { return nil }
    let texts = values.compactMap(text)
    return texts.count == values.count ? texts : nil
  }
}
