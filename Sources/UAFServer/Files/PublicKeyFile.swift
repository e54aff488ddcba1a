import Foundation
import UAFService

/// A file of public keys, PEM.
enum PublicKeyFile {
  /// Reads the keys that check heads of the audit.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func auditHeadKeys(path: String) throws -> AuditHeadKeys {
    guard let bytes = try StateFile.read(path: path, isSecret: false) else {
      throw ServerError.unusableFile(
        path: path, reason: "is not there: start the server once, or name another with --key")
    }
    let blocks = String(decoding: bytes, as: UTF8.self).components(separatedBy: "-----BEGIN PUBLIC KEY-----")
      .dropFirst()
    let keys = blocks.compactMap { block in
      block.components(separatedBy: "-----END").first.flatMap {
        Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
      }
    }
    do {
      guard !keys.isEmpty, keys.count == blocks.count else { throw CocoaError(.coderReadCorrupt) }
      return try AuditHeadKeys(publicKeys: keys.map { Array($0) })
    } catch {
      throw ServerError.unusableFile(
        path: path, reason: "has no public key of P-256, or something else beside: restore it")
    }
  }
}
