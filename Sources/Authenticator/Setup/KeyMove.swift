import Glibc
import SecretMemory

/// Moves a device key between a file and a chip, for one caller at a time.
///
/// Each move writes the new form, waits for the disk, and only then removes the old one. A move that is killed leaves a folder
/// that works: with the old form, or with both.
public struct KeyMove: ~Copyable {
  private let root: TrustedDirectory
  private let owner: uid_t
  private let change: FileChange

  /// Takes the folder for a move.
  ///
  /// - Throws: ``StateError``, `superseded` if another call changes files of this folder.
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

  /// The device key, where it lies in a file.
  ///
  /// - Throws: ``StateError``: `keyElsewhere` where it does not.
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

  /// What the recovery key opens; nil if none was made.
  ///
  /// - Throws: ``StateError``.
  public borrowing func recovery() throws(StateError) -> [UInt8]? {
    try StateDirectory.bytes(StateDirectory.recoveryName, root, owner: owner)
  }

  /// Keeps what a chip has sealed, and removes the key's file.
  ///
  /// - Parameter recovery: what the recovery key opens; nil keeps what is there.
  /// - Throws: ``StateError``; the key's file is there until everything else is on the disk.
  public borrowing func keepSealed(_ sealed: [UInt8], recovery: [UInt8]?) throws(StateError) {
    if let recovery { try StateDirectory.write(recovery, StateDirectory.recoveryName, root) }
    try StateDirectory.write(sealed, StateDirectory.sealedKeyName, root)
    try root.synchronise()
    try root.removeFile(StateDirectory.deviceKeyName)
    try root.synchronise()
  }

  /// Keeps the key in a file, and removes what a chip has sealed, and what the recovery key opens.
  ///
  /// - Throws: ``StateError``; the sealed key is there until the file is on the disk.
  public borrowing func keepInFile(_ key: borrowing Secret) throws(StateError) {
    try putInFile(key)
    try removeSealed()
  }

  /// Keeps the key in a file, and leaves the other form where it is; ``removeSealed()`` ends the move.
  ///
  /// - Throws: ``StateError``.
  public borrowing func putInFile(_ key: borrowing Secret) throws(StateError) {
    guard key.count == StateDirectory.deviceKeyLength else { throw .damaged }
    try StateDirectory.write(key, StateDirectory.deviceKeyName, root, replacing: true)
    try root.synchronise()
  }

  /// Removes what a chip has sealed, and what the recovery key opens, once the key is in a file.
  ///
  /// - Throws: ``StateError``.
  public borrowing func removeSealed() throws(StateError) {
    try root.removeFile(StateDirectory.sealedKeyName)
    try root.removeFile(StateDirectory.recoveryName)
    try root.synchronise()
  }
}
