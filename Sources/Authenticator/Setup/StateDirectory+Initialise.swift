import Glibc
import SecretMemory
import UAFCrypto

extension StateDirectory {
  /// Makes the missing parts of a state folder.
  ///
  /// The only place where a device key is made.
  ///
  /// - Parameter seal: seals the key with a chip, and returns what is to be kept in its place; the key is then in no file. A
  ///   key that it does not seal is not kept.
  /// - Returns: whether a device key was made; false if there was one.
  /// - Throws: ``StateError``; an existing key is never changed, whatever is wrong with it. No new key is made if there
  ///   are accounts: they would count as damaged, and be shown as locked.
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
    // Removes a key that a killed call did not finish, and the second name that one gave a finished key.
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
    // First, and only with a new key: a folder that servers know already keeps its device id.
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
