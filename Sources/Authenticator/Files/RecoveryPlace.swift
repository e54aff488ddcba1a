import Glibc

/// Where a state folder keeps what the recovery key opens.
struct RecoveryPlace {
  let path: String
  let owner: uid_t

  /// The name of the file.
  static let name = "device.recovery"
  /// The greatest length of the file, in bytes.
  static let capacity = 2048

  /// What is kept there; nil if no recovery key was made.
  ///
  /// - Throws: ``StateError``.
  func bytes() throws(StateError) -> [UInt8]? {
    try TrustedDirectory(path, owner: owner).bytes(Self.name, owner: owner, capacity: Self.capacity)
  }
}
