import UAFMessages

/// How much an account has of what each account may have; revoked keys do not count.
package struct KeyUsage: Equatable, Sendable {
  /// The most keys of an account: two models on each of 128 machines.
  static let maximumKeys = 256
  /// The most bytes of all its KeyIDs together.
  ///
  /// Whoever asks for a login of a name is sent its KeyIDs, in base64url and twice, once for each version: some 180 KB at the
  /// most, where uaf-fetch takes 256 KiB. KeyIDs of our own have 32 bytes, others up to 2048.
  static let maximumKeyIDBytes = 65_536

  let keys: Int
  let keyIDBytes: Int

  package init(keys: Int, keyIDBytes: Int) {
    self.keys = keys
    self.keyIDBytes = keyIDBytes
  }

  /// Whether the account may have keys with these KeyIDs beside those it has.
  func hasRoom(for keyIDs: [KeyID]) -> Bool {
    let bytes = keyIDs.reduce(keyIDBytes) { $0 + $1.bytes.count }
    return keys + keyIDs.count <= Self.maximumKeys && bytes <= Self.maximumKeyIDBytes
  }
}
