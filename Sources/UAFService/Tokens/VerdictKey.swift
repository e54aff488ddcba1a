import Foundation
import SecretMemory
import UAFCrypto
import UAFMessages

/// A key that signs verdicts, with what is written beside its signatures.
package final class VerdictKey: Sendable {
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
  package init(_ privateKey: borrowing Secret) throws {
    key = try SigningKey(privateKey)
    let info = try P256.subjectPublicKeyInfo(publicKey: key.publicKey)
    let lines = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    publicKeyPEM = Array("-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n".utf8)
    id = KeyName.text(try SHA256.hash(info).prefix(8))
    header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(id)","typ":"JWT"}"#.utf8))
  }

  /// Signs; 64 bytes.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    try key.sign(message)
  }
}
