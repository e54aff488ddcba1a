import UAFMessages

/// How much of its limits an account uses; revoked keys do not count.
package struct KeyUsage: Equatable, Sendable {
  /// The most keys of an account: two models on each of 128 machines.
  static let maximumKeys = 256
  /// The most bytes of all its KeyIDs together.
  ///
  /// A request for a name contains its KeyIDs in base64url, once for each version of UAF. With this limit that is 180 KB at the
  /// most, and uaf-fetch takes 256 KiB. KeyIDs of this project's authenticators have 32 bytes, others up to 2048.
  static let maximumKeyIDBytes = 65_536

  let keys: Int
  let keyIDBytes: Int

  package init(keys: Int, keyIDBytes: Int) {
    self.keys = keys
    self.keyIDBytes = keyIDBytes
  }

  /// Whether the account may have keys with these KeyIDs in addition.
  func hasRoom(for keyIDs: [KeyID]) -> Bool {
    let bytes = keyIDs.reduce(keyIDBytes) { $0 + $1.bytes.count }
    return keys + keyIDs.count <= Self.maximumKeys && bytes <= Self.maximumKeyIDBytes
  }
}
