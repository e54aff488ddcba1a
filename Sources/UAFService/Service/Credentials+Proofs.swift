extension Credentials {
  /// Whether a proof that an account's person made at some time still counts: the account has a key that can be used, and none
  /// of its keys was revoked since.
  ///
  /// Who revokes the keys of an account means that its person gets no other key without a code.
  ///
  /// - Parameter time: seconds since 1970.
  func speak(for username: String, since time: Int64) throws -> Bool {
    let keys = try records(of: username)
    return keys.contains { $0.revocation == nil }
      && !keys.contains { key in (key.revocation?.time).map { $0 >= time } ?? false }
  }
}
