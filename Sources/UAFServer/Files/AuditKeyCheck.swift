import UAFService

/// Looks whether this server has the key that signs the audit of its store.
enum AuditKeyCheck {
  /// Refuses a store whose last head was signed with a key that is not in `audit.pub`.
  ///
  /// The usual reason is a second server whose administrator has not given it the files. What is no head at all is told in the
  /// audit, and keeps no server from starting.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``StoreFailure``.
  static func run(_ store: any ServerStore, _ state: ServerDirectory) async throws {
    guard let last = try await store.read({ try $0.audit.lastHead() }), AuditHeadKeys.isHead(last.token) else { return }
    guard try PublicKeyFile.auditHeadKeys(path: state.auditPublicKeyPath).head(of: last.token) == nil else { return }
    throw ServerError.unusableFile(
      path: state.auditKeyPath,
      reason:
        "is another one than signs this store's audit: copy audit.key and audit.pub from the other server or from a "
        + "backup; if they are lost, start once with --new-audit-key, and the audit says so (audit-broken)")
  }
}
