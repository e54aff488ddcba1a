import Foundation
import Testing
import UAFMessages

@testable import UAFService

extension TestServer {
  /// Signs the audit's heads with the server's key.
  var signer: AuditSigner {
    get throws {
      AuditSigner(store: store, keys: environment.keys, published: try headKeys(), now: { [self] in now })
    }
  }

  /// The public keys of the audit's heads.
  func headKeys() throws -> AuditHeadKeys {
    try AuditHeadKeys(
      publicKeys: environment.keys.rings.auditKeys.entries.map { entry in
        let text = String(decoding: entry.key.publicKeyPEM, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
        return try Base64.decode(text.joined(), maximumCount: 200)
      })
  }

  /// A verification of the whole audit.
  func verification(kept: [AuditHead] = []) throws -> AuditVerification {
    AuditVerification(of: store, keys: try headKeys(), kept: kept, now: now)
  }

  /// Writes twelve rows, signed after rows 4, 8 and 12, at the time of each of these.
  ///
  /// - Returns: the heads, as somebody would keep them outside the store.
  func signedAudit() async throws -> [AuditHead] {
    var kept: [AuditHead] = []
    for part in 0..<3 {
      let events = (1...4).map { number in
        AuditEntry(time: Int64(100 * (4 * part + number)), kind: .login, account: "person\(number)", actor: .person)
      }
      try await store.write { try $0.audit.append(events) }
      let signer = AuditSigner(
        store: store, keys: environment.keys, published: try headKeys(), now: { Int64(400 * (part + 1)) })
      let signed = try #require(try await signer.sign(after: nil))
      kept.append(try #require(try headKeys().head(of: signed.head.token)))
    }
    return kept
  }
}
