import Foundation
import SecretMemory
import UAFCrypto
import UAFService

extension ServerKeys {
  /// Reads the keys of a state folder, and makes them if they are not there.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``CryptoError/invalidKey``.
  convenience init(state: ServerDirectory, now: @escaping @Sendable () -> Int64) throws {
    let decoySecret = try Self.decoySecret(of: state)
    try self.init(Rings(state: state), decoySecret: decoySecret, now: now)
    try publish(in: state)
  }

  /// Reads the keys again that may have been rotated.
  ///
  /// - Throws: as ``init(state:now:)``; then the keys stay as they are.
  func reload(from state: ServerDirectory) throws {
    replace(by: try Rings(state: state))
    try publish(in: state)
  }

  /// Writes the public keys for the workstations, if the file has others.
  ///
  /// A rotation that ended between both files is completed here.
  private func publish(in state: ServerDirectory) throws {
    if try StateFile.read(path: state.verdictPublicKeyPath, isSecret: false) != acceptedPEM {
      try StateFile.replace(path: state.verdictPublicKeyPath, mode: 0o644, contents: acceptedPEM)
    }
    try publishAuditKeys(in: state)
  }

  /// Adds the public keys of the audit to those of before: a head is checked long after its key was replaced.
  private func publishAuditKeys(in state: ServerDirectory) throws {
    let known = try StateFile.read(path: state.auditPublicKeyPath, isSecret: false) ?? []
    let old = String(decoding: known, as: UTF8.self)
    let new = rings.auditKeys.entries.map { String(decoding: $0.key.publicKeyPEM, as: UTF8.self) }
      .filter { !old.contains($0) }
    guard !new.isEmpty else { return }
    try StateFile.replace(path: state.auditPublicKeyPath, mode: 0o644, contents: known + Array(new.joined().utf8))
  }

  /// The secret that decoys are made of.
  ///
  /// Until a server has one, decoys come from the secret for session data. So that they stay the same, a copy of that is kept.
  private static func decoySecret(of state: ServerDirectory) throws -> ServerSecret {
    let isOld = FileManager.default.fileExists(atPath: state.secretPath)
    let file = KeyFile(
      path: state.decoySecretPath,
      new: {
        let lengths = KeyFile<ServerSecret>.lengths
        guard isOld, let secret = try StateFile.readSecret(path: state.secretPath, counts: lengths) else {
          return try RandomBytes.makeSecret(32)
        }
        guard secret.count == 32 else {
          throw ServerError.unusableFile(
            path: state.decoySecretPath, reason: "is missing: copy it from the other server, or from a backup")
        }
        return secret
      }, key: { try ServerSecret($0) })
    return try file.ring().current(at: 0)
  }
}

extension ServerKeys.Rings {
  /// Reads the keys that are rotated, and makes them if they are not there.
  init(state: ServerDirectory) throws {
    try self.init(
      secrets: state.secrets.ring(), verdictKeys: state.verdictKeys.ring(),
      auditKeys: state.auditKeys.ring())
  }
}

extension ServerDirectory {
  /// The file of the secrets for session data.
  var secrets: KeyFile<ServerSecret> {
    KeyFile(path: secretPath, new: { try RandomBytes.makeSecret(32) }, key: { try ServerSecret($0) })
  }

  /// The file of the keys that sign verdicts.
  var verdictKeys: KeyFile<TokenKey> {
    KeyFile(path: verdictKeyPath, new: Self.makeTokenKey, key: { try TokenKey($0) })
  }

  /// The file of the keys that sign heads of the audit.
  var auditKeys: KeyFile<TokenKey> {
    KeyFile(path: auditKeyPath, new: Self.makeTokenKey, key: { try TokenKey($0, for: .auditHead) })
  }

  private static func makeTokenKey() throws -> sending Secret {
    let pair = try P256.generate()
    return pair.privateKey
  }
}
