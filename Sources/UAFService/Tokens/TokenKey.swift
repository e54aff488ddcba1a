import Foundation
import SecretMemory
import UAFCrypto
import UAFMessages

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
  /// - Throws: ``CryptoError/invalidKey`` if it is no P-256 key.
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
