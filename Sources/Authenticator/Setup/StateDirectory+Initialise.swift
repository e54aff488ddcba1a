import Glibc

extension StateDirectory {
  /// Makes what is missing of a state folder.
  ///
  /// The one place where a device key is ever made.
  ///
  /// - Returns: whether a device key was made; false if there was one.
  /// - Throws: ``StateError``; an existing key is never touched, whatever is wrong with it, and no new one made where accounts
  ///   are: they would count as damaged from then on, which looks like a lock and is told as one.
  public static func initialise(_ path: String, owner: uid_t = 0) throws(StateError) -> Bool {
    try make(path)
    let root = try TrustedDirectory(path, owner: owner)
    for name in ["accounts", "slots"] { try root.makeFolder(name) }
    let slots = try TrustedDirectory(path + "/slots", owner: owner)
    try PeerSlot.makeFile(in: slots)
    try DerivationTurn.makeFile(in: slots)
    let change = try FileChange(of: nil, in: slots)
    defer { withExtendedLifetime(change) {} }
    // A key that a killed call did not get to its name is none; one it had given two names has one again.
    try root.removeFiles { $0.hasPrefix(".\(deviceKeyName).") || $0.hasPrefix(".\(identifierName).") }
    if try readSecret(deviceKeyName, root, owner: owner) != nil { return false }
    let accounts = try TrustedDirectory(path + "/accounts", owner: owner)
    guard try !accounts.contains(where: { !AccountFiles.isLeftover($0) && !MadeKeys.isFile($0) }) else {
      throw .keyMissing(path: path + "/" + deviceKeyName)
    }
    // First, and with a new key alone: a folder whose machines are known to servers keeps what they are known by.
    try root.removeFile(identifierName)
    try writeSecret(identifierName, root)
    try writeSecret(deviceKeyName, root)
    try root.synchronise()
    return true
  }
}
