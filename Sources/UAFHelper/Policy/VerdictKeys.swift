import UAFConfiguration
import UAFCrypto

/// The keys of which one must have signed a success of the server, from root's file.
enum VerdictKeys {
  /// Reads them.
  ///
  /// - Returns: 65 bytes `04 | X | Y` each; nil where root demands no signature.
  /// - Throws: ``Ending`` (1001) where the file cannot be used.
  static func read(of server: ServerSettings, owner: UInt32) throws(Ending) -> [[UInt8]]? {
    guard server.requiresSignedVerdict, let path = server.verdictKeyFile else { return nil }
    let pem: [UInt8]
    do throws(ConfigurationFileProblem) {
      pem = try ConfigurationFile.read(path: path, requiredOwner: owner)
    } catch {
      throw .configuration("server.verdict_key: \(path): \(error)", isRoots: error.isRoots)
    }
    do throws(CryptoError) { return try P256.publicKeys(pem: pem) } catch {
      let log =
        "server.verdict_key: \(path): is not the public key of a P-256 key pair, PEM, or up to \(P256.maximumKeys) of them"
      throw .configuration(log, isRoots: error == .invalidKey)
    }
  }
}
