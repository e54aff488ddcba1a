import Glibc
import SecretMemory
import UAFCrypto

extension StateDirectory {
  /// Makes the missing parts of a state folder.
  ///
  /// Only this function makes a device key.
  ///
  /// - Parameter seal: seals the key with a chip, and returns what to store instead of the key, so that no file contains the
  ///   key. If `seal` returns nil, no key is stored.
  /// - Returns: whether a device key was made; false if there already was one.
  /// - Throws: ``StateError``; an existing key is never changed, even if it is damaged. If the key is missing but there are
  ///   accounts, no new key is made: with a new key, they would count as damaged and be shown as locked.
  public static func initialise(
    _ path: String, owner: uid_t = 0, sealing seal: ((borrowing Secret) -> SealedDeviceKey?)? = nil
  ) throws(StateError) -> Bool {
    try make(path)
    let root = try TrustedDirectory(path, owner: owner)
    for name in ["accounts", "slots"] { try root.makeFolder(name) }
    let slots = try TrustedDirectory(path + "/slots", owner: owner)
    try PeerSlot.makeFile(in: slots)
    try DerivationTurn.makeFile(in: slots)
    let change = try FileChange(of: nil, in: slots)
    defer { withExtendedLifetime(change) {} }
    // A killed call may have left an unfinished key file, or a second (temporary) name of a finished one. Both are removed.
    let names = [deviceKeyName, identifierName, sealedKeyName, recoveryName]
    try root.removeFiles { name in names.contains { name.hasPrefix(".\($0).") } }
    if try hasKey(root, owner: owner) { return false }
    let accounts = try TrustedDirectory(path + "/accounts", owner: owner)
    guard try !accounts.contains(where: { !AccountFiles.isLeftover($0) && !MadeKeys.isFile($0) }) else {
      throw .keyMissing(path: path + "/" + deviceKeyName)
    }
    var sealed: SealedDeviceKey?
    if let seal {
      guard let key = try? RandomBytes.makeSecret(deviceKeyLength) else { throw .cryptography }
      sealed = seal(key)
      guard sealed != nil else { throw .keySealed(path: path + "/" + sealedKeyName) }
    }
    // The identifier is made before the key, and only together with a new key: a folder that servers already know keeps its
    // device ID.
    try root.removeFile(identifierName)
    try writeSecret(identifierName, root)
    if let sealed {
      if let recovery = sealed.recovery { try write(recovery, recoveryName, root) }
      try write(sealed.bytes, sealedKeyName, root)
    } else {
      try writeSecret(deviceKeyName, root)
    }
    try root.synchronise()
    return true
  }
}

/// Moves the device key between a file and a chip.
///
/// Only one caller can do so at a time.
///
/// Each move writes the new file (plain or sealed key), waits until it is on the disk, and only then removes the old one. So
/// the folder still works after a move was killed: it has the old file, or both.
public struct KeyMove: ~Copyable {
  private let root: TrustedDirectory
  private let owner: uid_t
  private let change: FileChange

  /// Reserves the folder for a move.
  ///
  /// - Throws: ``StateError``, `superseded` if another call is changing files of this folder.
  public init(in path: String, owner: uid_t = 0) throws(StateError) {
    let root = try TrustedDirectory(path, owner: owner)
    let slots = try TrustedDirectory(path + "/slots", owner: owner)
    let change = try FileChange(of: nil, in: slots)
    let names = [StateDirectory.deviceKeyName, StateDirectory.sealedKeyName, StateDirectory.recoveryName]
    try root.removeFiles { name in names.contains { name.hasPrefix(".\($0).") } }
    self.root = root
    self.owner = owner
    self.change = change
  }

  /// The device key, if it is in a file.
  ///
  /// - Throws: ``StateError``: `keyElsewhere` if it is not.
  public borrowing func keyInFile() throws(StateError) -> Secret {
    guard let key = try StateDirectory.readSecret(StateDirectory.deviceKeyName, root, owner: owner) else {
      throw .keyElsewhere(path: root.path + "/" + StateDirectory.deviceKeyName)
    }
    return key
  }

  /// Whether there is a key that a chip has sealed.
  ///
  /// - Throws: ``StateError``.
  public borrowing func isSealed() throws(StateError) -> Bool {
    try root.hasFile(StateDirectory.sealedKeyName, owner: owner)
  }

  /// The sealed copy of the key that the recovery key opens; nil if none was made.
  ///
  /// - Throws: ``StateError``.
  public borrowing func recovery() throws(StateError) -> [UInt8]? {
    try StateDirectory.bytes(StateDirectory.recoveryName, root, owner: owner)
  }

  /// Stores the key in the form that a chip has sealed, and removes the file with the plain key.
  ///
  /// - Parameter recovery: the copy that the recovery key opens; nil keeps the existing one.
  /// - Throws: ``StateError``; the key's file stays until everything else is on the disk.
  public borrowing func keepSealed(_ sealed: [UInt8], recovery: [UInt8]?) throws(StateError) {
    if let recovery { try StateDirectory.write(recovery, StateDirectory.recoveryName, root) }
    try StateDirectory.write(sealed, StateDirectory.sealedKeyName, root)
    try root.synchronise()
    try root.removeFile(StateDirectory.deviceKeyName)
    try root.synchronise()
  }

  /// Stores the key in a file, and removes the sealed key and the copy that the recovery key opens.
  ///
  /// - Throws: ``StateError``; the sealed key stays until the file is on the disk.
  public borrowing func keepInFile(_ key: borrowing Secret) throws(StateError) {
    try putInFile(key)
    try removeSealed()
  }

  /// Stores the key in a file, and leaves the sealed key in place; ``removeSealed()`` completes the move.
  ///
  /// - Throws: ``StateError``.
  public borrowing func putInFile(_ key: borrowing Secret) throws(StateError) {
    guard key.count == StateDirectory.deviceKeyLength else { throw .damaged }
    try StateDirectory.write(key, StateDirectory.deviceKeyName, root, replacing: true)
    try root.synchronise()
  }

  /// Removes the sealed key and the copy that the recovery key opens, once the key is in a file.
  ///
  /// - Throws: ``StateError``.
  public borrowing func removeSealed() throws(StateError) {
    try root.removeFile(StateDirectory.sealedKeyName)
    try root.removeFile(StateDirectory.recoveryName)
    try root.synchronise()
  }
}

/// A device key that a chip has sealed, together with its copy for the recovery key.
public struct SealedDeviceKey: Equatable, Sendable {
  /// The sealed key, which the chip opens.
  public let bytes: [UInt8]
  /// The copy that the recovery key opens; nil without a recovery key.
  public let recovery: [UInt8]?

  /// Makes a sealed device key.
  public init(_ bytes: [UInt8], recovery: [UInt8]?) {
    self.bytes = bytes
    self.recovery = recovery
  }
}
