import Foundation
import UAFMessages

@testable import UAFService

extension TestServer {
  /// Signs the audit's heads with the server's key.
  var signer: AuditSigner {
    AuditSigner(store: store, keys: environment.keys, now: { [self] in now })
  }

  /// The public keys of the audit's heads.
  func headKeys() throws -> AuditHeadKeys {
    try AuditHeadKeys(
      publicKeys: environment.keys.rings.auditKeys.entries.map { entry in
        let text = String(decoding: entry.key.publicKeyPEM, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
        return try Base64.decode(text.joined(), maximumCount: 200)
      })
  }

  /// A check of the whole audit.
  func verification(kept: [AuditHead] = []) throws -> AuditVerification {
    AuditVerification(of: store, keys: try headKeys(), kept: kept)
  }
}
