import Foundation
import SecretMemory
import Synchronization
import UAFCrypto
import UAFMessages

/// The server's two secrets: one for its own authentication codes, one for signing verdicts.
final class ServerKeys: Sendable {
  private let macKey: Mutex<Secret>
  private let verdictKey: Mutex<Secret>
  /// 65 bytes.
  let verdictPublicKey: [UInt8]
  /// The same in PEM, as clients are given it.
  let verdictPublicKeyPEM: [UInt8]
  /// A key nobody has: what signatures for made-up keys are verified with.
  let decoyPublicKey: [UInt8]

  /// Takes both keys.
  ///
  /// - Throws: ``CryptoError/invalidKey`` if the second is no P-256 key.
  init(macKey: consuming sending Secret, verdictKey: consuming sending Secret) throws {
    verdictPublicKey = try P256.publicKey(of: verdictKey)
    let info = try P256.subjectPublicKeyInfo(publicKey: verdictPublicKey)
    let lines = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    verdictPublicKeyPEM = Array("-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n".utf8)
    decoyPublicKey = try P256.generate().publicKey
    self.macKey = Mutex(macKey)
    self.verdictKey = Mutex(verdictKey)
  }

  /// Reads the keys of a state folder, and makes them if they are not there.
  convenience init(state: StateDirectory) throws {
    try self.init(
      macKey: Self.load(path: state.secretPath) { try RandomBytes.makeSecret(Self.keyLength) },
      verdictKey: Self.load(path: state.verdictKeyPath, make: Self.makeVerdictKey))
    _ = try StateFile.create(path: state.verdictPublicKeyPath, mode: 0o644, contents: verdictPublicKeyPEM)
  }

  /// HMAC-SHA-256 of a message, told apart from other uses by its purpose.
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
    try verdictKey.withLock { key in try P256.sign(message, privateKey: key) }
  }

  private static func makeVerdictKey() throws -> sending Secret {
    let pair = try P256.generate()
    return pair.privateKey
  }

  /// Bytes of either key.
  private static let keyLength = 32

  private static func load(path: String, make: () throws -> sending Secret) throws -> sending Secret {
    if let key = try StateFile.readSecret(path: path, count: keyLength) { return key }
    let made = try make()
    if try StateFile.create(path: path, mode: 0o600, contents: made) { return made }
    // Another process was faster.
    return try load(path: path, make: make)
  }
}
