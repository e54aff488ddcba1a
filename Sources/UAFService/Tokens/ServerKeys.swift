import Foundation
import SecretMemory
import Synchronization
import UAFCrypto
import UAFMessages

/// The server's two keys: one for its authentication codes, one that signs verdicts.
package final class ServerKeys: Sendable {
  private let macKey: Mutex<Secret>
  private let verdictKey: SigningKey
  /// 65 bytes.
  var verdictPublicKey: [UInt8] { verdictKey.publicKey }
  /// The same in PEM, as clients are given it.
  package let verdictPublicKeyPEM: [UInt8]
  /// The public key of every decoy.
  ///
  /// Nobody has its private key.
  let decoyPublicKey: [UInt8]

  /// Takes both keys.
  ///
  /// - Throws: ``CryptoError/invalidKey`` if the second is no P-256 key.
  package init(macKey: consuming sending Secret, verdictKey: borrowing Secret) throws {
    self.verdictKey = try SigningKey(verdictKey)
    let info = try P256.subjectPublicKeyInfo(publicKey: self.verdictKey.publicKey)
    let lines = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    verdictPublicKeyPEM = Array("-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n".utf8)
    decoyPublicKey = try P256.generate().publicKey
    self.macKey = Mutex(macKey)
  }

  /// HMAC-SHA-256 of a message; `purpose` keeps the codes of different uses apart.
  func authenticationCode(_ purpose: String, _ message: [UInt8]) throws -> [UInt8] {
    let input = Array(purpose.utf8) + [0] + message
    return try macKey.withLock { key in try HMACSHA256.authenticate(input, key: key) }
  }

  /// Whether a code is the one of this message and purpose, compared in constant time.
  func isValid(_ code: [UInt8], _ purpose: String, _ message: [UInt8]) throws -> Bool {
    let input = Array(purpose.utf8) + [0] + message
    return try macKey.withLock { key in try HMACSHA256.isValid(code, of: input, key: key) }
  }

  /// Signs with the verdict key; 64 bytes.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    try verdictKey.sign(message)
  }
}
