import Glibc
import SecretMemory
import UAFCrypto

/// The machine's state folder: the device key, the accounts' files, the derivation slots.
public struct StateDirectory: ~Copyable {
  /// The folder of the accounts' files.
  let accounts: TrustedDirectory
  /// The folder of the derivation slots.
  let slots: TrustedDirectory
  /// The owner that every file must have: root, except in tests.
  let owner: uid_t
  /// The device key, without which no secret opens anything.
  let deviceSecret: Secret
  /// Whether a chip of this machine holds the device key, and no file does.
  public let isBoundToChip: Bool
  /// Random bytes that distinguish this machine from others with the same machine-id (clones).
  ///
  /// It is nil for a folder that an earlier version made. With such a folder, the machine keeps the device ID that servers
  /// already know.
  public let identifier: [UInt8]?
  /// What stores the shares of the accounts' keys; nil if this machine uses none.
  let shares: (any ShareKeeper)?
  /// The file with the recovery key's public half, to which copies of the shares are sealed.
  let recovery: RecoveryPlace

  /// The name of the device key's file.
  static let deviceKeyName = "device.key"
  /// The length of the device key in bytes.
  static let deviceKeyLength = 32
  /// The name of the file of ``identifier``.
  static let identifierName = "device.id"

  /// Opens an initialised state folder.
  ///
  /// - Parameters:
  ///   - unsealed: the device key that a chip has opened; it is ignored if the key is in a file.
  ///   - shares: what stores the shares of the accounts' keys.
  /// - Throws: ``StateError``: `notInitialised` if there is no device key, `keySealed` if only a chip can open it, `unsafe` or
  ///   `cannotOpen` for a file or folder whose owner, mode or type is not as required.
  public init(
    _ path: String, owner: uid_t = 0, unsealed: consuming Secret? = nil, shares: (any ShareKeeper)? = nil
  ) throws(StateError) {
    let root = try TrustedDirectory(path, owner: owner)
    let isBoundToChip = try !root.hasFile(Self.deviceKeyName, owner: owner)
    let secret =
      isBoundToChip
      ? try Self.requireOpened(unsealed, root, owner: owner) : try Self.requireKey(root, owner: owner)
    let accounts = try TrustedDirectory(path + "/accounts", owner: owner)
    let slots = try TrustedDirectory(path + "/slots", owner: owner)
    let identifier = try Self.readIdentifier(root, owner: owner)
    self.accounts = accounts
    self.slots = slots
    self.owner = owner
    self.isBoundToChip = isBoundToChip
    deviceSecret = secret
    self.identifier = identifier
    self.shares = shares
    recovery = RecoveryPlace(path: path, owner: owner)
  }

  private static func requireKey(_ root: borrowing TrustedDirectory, owner: uid_t) throws(StateError) -> Secret {
    guard let key = try readSecret(deviceKeyName, root, owner: owner) else {
      throw .notInitialised(path: root.path + "/" + deviceKeyName)
    }
    return key
  }

  /// Returns `key`, which a chip has opened, for a folder without a key file; throws if there is none.
  private static func requireOpened(
    _ key: consuming Secret?, _ root: borrowing TrustedDirectory, owner: uid_t
  ) throws(StateError) -> Secret {
    guard try root.hasFile(sealedKeyName, owner: owner) else {
      throw .notInitialised(path: root.path + "/" + deviceKeyName)
    }
    guard let key, key.count == deviceKeyLength else { throw .keySealed(path: root.path + "/" + sealedKeyName) }
    return key
  }

  /// Reads everything outside the state folder that is needed for opening accounts.
  ///
  /// The sandbox may then restrict the process to the folder.
  public static func prepare() { Database.prepare() }

  /// Makes the folder itself, closed to others; an existing one is left as it is.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func make(_ path: String) throws(StateError) {
    // SAFETY: the path lives for the call.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .cannotOpen(path: path, errno: errno) }
  }

  /// The ``identifier`` of a folder that is not open; no device key is needed for it.
  ///
  /// - Throws: ``StateError``.
  public static func identifier(in path: String, owner: uid_t) throws(StateError) -> [UInt8]? {
    let root = try TrustedDirectory(path, owner: owner)
    return try readIdentifier(root, owner: owner)
  }

  private static func readIdentifier(_ root: borrowing TrustedDirectory, owner: uid_t) throws(StateError) -> [UInt8]? {
    guard let secret = try readSecret(identifierName, root, owner: owner) else { return nil }
    return secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  /// Reads the device key, or the identifier; nil if there is no such file.
  ///
  /// - Throws: ``StateError``; `unsafe` for one of the wrong length.
  static func readSecret(
    _ name: String, _ root: borrowing TrustedDirectory, owner: uid_t
  ) throws(StateError) -> Secret? {
    // One byte more than a key has, so that a file that is too long is noticed.
    guard var secret = try? Secret(capacity: deviceKeyLength + 1) else { throw .cryptography }
    var length: Int?
    var failure: StateError?
    // SAFETY: the buffer is used for the call only.
    unsafe secret.refill { buffer in
      do throws(StateError) { length = try unsafe root.read(name, owner: owner, into: buffer) } catch {
        failure = error
      }
      return length ?? 0
    }
    if let failure { throw failure }
    guard let length else { return nil }
    guard length == deviceKeyLength else {
      throw .unsafe(path: root.path + "/" + name, why: .keySize(deviceKeyLength))
    }
    return secret
  }

  /// Makes a random key and stores it in a new file.
  static func writeSecret(_ name: String, _ root: borrowing TrustedDirectory) throws(StateError) {
    guard let secret = try? RandomBytes.makeSecret(deviceKeyLength) else { throw .cryptography }
    try write(secret, name, root, replacing: false)
  }
}

/// The device key, if a chip has sealed it.
///
/// A folder has either the key itself (`device.key`) or the key as a chip sealed it (`device.sealed`). Both files exist only
/// while the key is being moved. Then `device.key` is used, because the move that completes the interrupted one starts from it.
extension StateDirectory {
  /// The name of the file of the sealed device key.
  static let sealedKeyName = "device.sealed"
  /// The name of the file that the recovery key opens.
  static let recoveryName = RecoveryPlace.name
  /// The maximum length in bytes of both files.
  static let sealedKeyCapacity = RecoveryPlace.capacity

  /// The sealed device key, if only the chip can open it.
  ///
  /// - Returns: nil for a folder whose key is in a file, or that has no key.
  /// - Throws: ``StateError``.
  public static func sealedKey(in path: String, owner: uid_t = 0) throws(StateError) -> [UInt8]? {
    let root = try TrustedDirectory(path, owner: owner)
    guard try !root.hasFile(deviceKeyName, owner: owner) else { return nil }
    return try bytes(sealedKeyName, root, owner: owner)
  }

  /// Whether a device key exists in any form.
  ///
  /// - Throws: ``StateError``.
  static func hasKey(_ root: borrowing TrustedDirectory, owner: uid_t) throws(StateError) -> Bool {
    if try readSecret(deviceKeyName, root, owner: owner) != nil { return true }
    return try root.hasFile(sealedKeyName, owner: owner)
  }

  /// The content of a file of at most ``sealedKeyCapacity`` bytes; nil if there is no such file.
  ///
  /// - Throws: ``StateError``; `unsafe` if the file is longer or empty.
  static func bytes(
    _ name: String, _ root: borrowing TrustedDirectory, owner: uid_t
  ) throws(StateError) -> [UInt8]? {
    try root.bytes(name, owner: owner, capacity: sealedKeyCapacity)
  }

  /// Writes a secret under a temporary name, and renames the file when it is complete.
  ///
  /// So the file never exists half written.
  ///
  /// - Parameter replacing: whether an existing file of that name is replaced.
  /// - Throws: ``StateError``: `superseded` if a file exists that must not be replaced.
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

  /// Writes bytes that are not secret; a file of that name is replaced.
  static func write(_ bytes: [UInt8], _ name: String, _ root: borrowing TrustedDirectory) throws(StateError) {
    guard let copy = try? Secret(copying: bytes.span) else { throw .cryptography }
    try write(copy, name, root, replacing: true)
  }
}

/// The file of a state folder that the recovery key opens.
struct RecoveryPlace {
  let path: String
  let owner: uid_t

  /// The name of the file.
  static let name = "device.recovery"
  /// The maximum length of the file in bytes.
  static let capacity = 2048

  /// The content of the file; nil if no recovery key was made.
  ///
  /// - Throws: ``StateError``.
  func bytes() throws(StateError) -> [UInt8]? {
    try TrustedDirectory(path, owner: owner).bytes(Self.name, owner: owner, capacity: Self.capacity)
  }
}
