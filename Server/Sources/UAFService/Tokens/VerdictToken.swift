import Foundation
import SecretMemory
import UAFCrypto
import UAFMessages

/// A JSON web token signed with ES256 (RFC 7515, RFC 7519), in the one form this server writes.
struct VerdictToken {
  let keys: ServerKeys

  /// Seconds a token can be used as a proof.
  static let lifetime: Int64 = 60

  func sign(_ claims: VerdictClaims) throws -> String {
    let key = keys.verdictKey
    let signed = "\(key.header).\(Base64URL.encode(claims.json.bytes))"
    return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
  }

  /// Reads a token of this server.
  ///
  /// The header must be one that this server writes, so nobody can choose the algorithm. It names the key.
  ///
  /// - Returns: nil unless the signature holds; the caller checks whether it is still valid and unused.
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

/// What a token of this server says: who did what, with which keys, when, and what it authorises.
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
  /// `over`: base64url of the SHA-256 of what it authorises; nil where the operation is all.
  var proofSubject: String?
  /// `revoked`: base64url of `Credentials.revocationMark` as it was then; nil unless it is a proof for further keys.
  var revocationMark: [UInt8]?
  /// `keys`: the KeyIDs that signed, were registered or were removed.
  var keyIDs: [String] = []
  /// `text`: base64url of the SHA-256 of the text that was confirmed; nil without one.
  var textHash: String?
  /// `device`: the machine whose keys were registered or removed; nil where it named none.
  var deviceID: String?
  /// `machine`: base64url of the SHA-256 of the secret that the machine is given; nil if it is given none.
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

  /// Reads claims in the form above.
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

/// A key that signs tokens of one type, with what is written beside its signatures.
package final class TokenKey: Sendable {
  /// What a token says, so that one is never taken for another.
  package enum Use: String, Sendable {
    case verdict = "JWT"
    case auditHead = "audit-head+jwt"
    case accountState = "account-state+jwt"
    case machineJoin = "machine-join+jwt"
    case machineCheckIn = "machine-checkin+jwt"
    case unlock = "unlock+jwt"
    case workstationPolicy = "workstation-policy+jwt"
  }

  private let key: SigningKey
  /// 65 bytes.
  package var publicKey: [UInt8] { key.publicKey }
  /// The same in PEM, as clients are given it.
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
    KeyName.text(try SHA256.hash(info).prefix(8))
  }

  /// The first part of each token that the key with an id signs.
  static func header(_ id: String, _ use: Use) -> String {
    Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(id)","typ":"\#(use.rawValue)"}"#.utf8))
  }

  /// Signs; 64 bytes.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    try key.sign(message)
  }
}
