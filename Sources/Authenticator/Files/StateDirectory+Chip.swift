import Glibc
import SecretMemory

/// The device key where a chip has sealed it.
///
/// A folder has the key itself (`device.key`) or what a chip made of it (`device.sealed`). Both are there only while a key is
/// being moved: then the file counts, because it is what the next move begins with.
extension StateDirectory {
  /// The name of the file of the sealed device key.
  static let sealedKeyName = "device.sealed"
  /// The name of the file that the recovery key opens.
  static let recoveryName = RecoveryPlace.name
  /// The greatest length of either file, in bytes.
  static let sealedKeyCapacity = RecoveryPlace.capacity

  /// What a chip has sealed, where only the chip can open the device key.
  ///
  /// - Returns: nil for a folder whose key lies in a file, or that has none.
  /// - Throws: ``StateError``.
  public static func sealedKey(in path: String, owner: uid_t = 0) throws(StateError) -> [UInt8]? {
    let root = try TrustedDirectory(path, owner: owner)
    guard try !root.hasFile(deviceKeyName, owner: owner) else { return nil }
    return try bytes(sealedKeyName, root, owner: owner)
  }

  /// Whether a device key is there in any form.
  ///
  /// - Throws: ``StateError``.
  static func hasKey(_ root: borrowing TrustedDirectory, owner: uid_t) throws(StateError) -> Bool {
    if try readSecret(deviceKeyName, root, owner: owner) != nil { return true }
    return try root.hasFile(sealedKeyName, owner: owner)
  }

  /// A file of at most ``sealedKeyCapacity`` bytes; nil if there is none.
  ///
  /// - Throws: ``StateError``; `unsafe` for a longer or an empty one.
  static func bytes(
    _ name: String, _ root: borrowing TrustedDirectory, owner: uid_t
  ) throws(StateError) -> [UInt8]? {
    try root.bytes(name, owner: owner, capacity: sealedKeyCapacity)
  }

  /// Writes a secret under another name, and renames it when it is complete: it is there completely or not at all.
  ///
  /// - Parameter replacing: whether a file of that name is replaced.
  /// - Throws: ``StateError``: `superseded` if there is one that is not to be replaced.
  static func write(
    _ secret: borrowing Secret, _ name: String, _ root: borrowing TrustedDirectory, replacing: Bool
  ) throws(StateError) {
    let temporary = ".\(name).new"
    let file = try root.makeFile(temporary, mode: 0o400)
    defer {
      close(file)
      _ = try? root.removeFile(temporary)
    }
    let count = secret.count
    // SAFETY: the secret's bytes are lent for the call.
    let written = unsafe secret.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    guard written == count, fsync(file) == 0 else {
      throw .cannotOpen(path: root.path + "/" + name, errno: errno)
    }
    if replacing { try root.rename(temporary, to: name) } else { try root.rename(temporary, toNew: name) }
  }

  /// The same for bytes that are no secret; a file of that name is replaced.
  static func write(_ bytes: [UInt8], _ name: String, _ root: borrowing TrustedDirectory) throws(StateError) {
    guard let copy = try? Secret(copying: bytes.span) else { throw .cryptography }
    try write(copy, name, root, replacing: true)
  }
}
