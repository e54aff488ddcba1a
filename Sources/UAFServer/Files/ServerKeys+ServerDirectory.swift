import SecretMemory
import UAFCrypto
import UAFService

extension ServerKeys {
  /// Reads the keys of a state folder, and makes them if they are not there.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``CryptoError/invalidKey``.
  convenience init(state: ServerDirectory) throws {
    try self.init(
      macKey: Self.load(path: state.secretPath) { try RandomBytes.makeSecret(Self.keyLength) },
      verdictKey: Self.load(path: state.verdictKeyPath, make: Self.makeVerdictKey))
    _ = try StateFile.create(path: state.verdictPublicKeyPath, mode: 0o644, contents: verdictPublicKeyPEM)
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
