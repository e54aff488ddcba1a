import Foundation
import SecretMemory
import Synchronization
import UAFCrypto
import UAFMessages

/// A key that signs verdicts, with what is written beside its signatures.
package final class VerdictKey: Sendable {
  private let privateKey: Mutex<Secret>
  /// 65 bytes.
  package let publicKey: [UInt8]
  /// The same in PEM, as clients are given it.
  package let publicKeyPEM: [UInt8]
  /// `kid`: the first 16 hexadecimal digits of the SHA-256 of its SubjectPublicKeyInfo, DER.
  package let id: String
  /// The first part of each token that it signs.
  let header: String

  /// Takes a private key.
  ///
  /// - Throws: ``CryptoError/invalidKey`` if it is no P-256 key.
  package init(_ privateKey: consuming sending Secret) throws {
    publicKey = try P256.publicKey(of: privateKey)
    let info = try P256.subjectPublicKeyInfo(publicKey: publicKey)
    let lines = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    publicKeyPEM = Array("-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n".utf8)
    id = KeyName.text(try SHA256.hash(info).prefix(8))
    header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(id)","typ":"JWT"}"#.utf8))
    self.privateKey = Mutex(privateKey)
  }

  /// Signs; 64 bytes.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    try privateKey.withLock { key in try P256.sign(message, privateKey: key) }
  }
}
