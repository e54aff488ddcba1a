extension Credentials {
  /// Whether a proof of an account's person allows a further key: the account has a key that can be used, and none of its keys
  /// was revoked since the proof was made.
  ///
  /// Revoking the keys of an account means that its person gets no other one without a code.
  ///
  /// - Parameter time: when the proof was made, or the registration that it began; in seconds since 1970.
  func allowFurtherKey(for username: String, byProofMadeAt time: Int64) throws -> Bool {
    let revocations = try records(of: username).map(\.revocation)
    return revocations.contains(nil)
      && revocations.allSatisfy { revocation in revocation.map { $0.time < time } ?? true }
  }
}
