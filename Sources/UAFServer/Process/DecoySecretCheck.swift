import UAFService

/// Refuses another secret of decoys than the store was used with, since names that nobody has would get other keys.
enum DecoySecretCheck {
  /// Compares the secret with the one that the store knows; the first one becomes that.
  ///
  /// The usual reason for another one is a second server whose administrator has not given it the file.
  ///
  /// - Parameter allowsNew: takes another one, and says so in the audit.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``StoreFailure``.
  static func run(
    _ secret: ServerSecret, of store: any ServerStore, _ directory: ServerDirectory, allowsNew: Bool
  ) async throws {
    let known = try await store.read { try $0.settings.value(of: .decoySecret) }
    guard known != secret.id else { return }
    guard known == nil || allowsNew else {
      throw ServerError.unusableFile(
        path: directory.decoySecretPath,
        reason:
          "is another one than this store was used with: copy it from the other server or from a backup; if it is "
          + "lost, start once with --new-decoys, and whoever compares can tell the names that nobody has")
    }
    try await store.write { [id = secret.id] records in
      try records.settings.set(.decoySecret, to: id)
      guard known != nil else { return }
      try records.audit.append([ServerEvents.command(.decoysReplaced, now: Terminal.now)])
    }
  }
}
