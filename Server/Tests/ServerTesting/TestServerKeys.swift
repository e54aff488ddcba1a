import SecretMemory
import UAFCrypto

@testable import UAFService

/// The certificate and the keys of the tests' servers.
enum TestServerKeys {
  static let certificatePEM: [UInt8] = {
    let made = try? DevelopmentCertificate.make(
      commonName: "test", dnsNames: ["server.test"], ipAddresses: [], notBefore: 1, notAfter: 2_000_000_000)
    guard let made else { return [] }
    return made.certificatePEM
  }()

  /// One for all servers of the tests: OpenSSL's secure heap has room for only a limited number of keys.
  private static let auditKey = Result {
    let pair = try P256.generate()
    return try TokenKey(pair.privateKey, for: .auditHead)
  }

  /// - Parameter machineSecrets: those of an earlier server whose machines stay known; nil for those of the session data.
  static func make(
    machineSecrets: KeyRing<ServerSecret>? = nil, now: @escaping @Sendable () -> Int64
  ) throws -> ServerKeys {
    let pair = try P256.generate()
    let rings = ServerKeys.Rings(
      secrets: KeyRing(try ServerSecret(RandomBytes.makeSecret(32))),
      verdictKeys: KeyRing(try TokenKey(pair.privateKey)),
      auditKeys: KeyRing(try auditKey.get()),
      machineSecrets: machineSecrets)
    return try ServerKeys(rings, decoySecret: ServerSecret(RandomBytes.makeSecret(32)), now: now)
  }
}
