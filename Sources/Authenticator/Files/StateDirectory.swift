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
  /// Random bytes that distinguish this folder from those of machines with the same machine-id.
  ///
  /// Nil for a folder of an earlier version, which has none. Its device id stays the one that servers know.
  public let identifier: [UInt8]?

  /// The name of the device key's file.
  static let deviceKeyName = "device.key"
  /// Bytes of the device key.
  static let deviceKeyLength = 32
  /// The name of the file of ``identifier``.
  static let identifierName = "device.id"

  /// Opens an initialised state folder.
  ///
  /// - Throws: ``StateError``: `notInitialised` without a device key, `unsafe` or `cannotOpen` for
  ///   anything that is not exactly as it must be.
  public init(_ path: String, owner: uid_t = 0) throws(StateError) {
    let root = try TrustedDirectory(path, owner: owner)
    guard let secret = try Self.readSecret(Self.deviceKeyName, root, owner: owner) else {
      throw .notInitialised(path: path + "/" + Self.deviceKeyName)
    }
    let accounts = try TrustedDirectory(path + "/accounts", owner: owner)
    let slots = try TrustedDirectory(path + "/slots", owner: owner)
    let identifier = try Self.readIdentifier(root, owner: owner)
    self.accounts = accounts
    self.slots = slots
    self.owner = owner
    deviceSecret = secret
    self.identifier = identifier
  }

  /// Reads everything outside the folder that opening accounts needs; afterwards only the folder's paths are needed.
  public static func prepare() { Database.prepare() }

  /// Makes the folder itself, closed to others; an existing one is left as it is.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func make(_ path: String) throws(StateError) {
    // SAFETY: the path lives for the call.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .cannotOpen(path: path, errno: errno) }
  }

  private static func readIdentifier(_ root: borrowing TrustedDirectory, owner: uid_t) throws(StateError) -> [UInt8]? {
    guard let secret = try readSecret(identifierName, root, owner: owner) else { return nil }
    return secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  /// Reads the device key, or the identifier; nil if there is no such file.
  ///
  /// - Throws: ``StateError``; `unsafe` for one of another length.
  static func readSecret(
    _ name: String, _ root: borrowing TrustedDirectory, owner: uid_t
  ) throws(StateError) -> Secret? {
    // One byte more than a key has, so that a longer file is noticed.
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
      throw .unsafe(path: root.path + "/" + name, why: "not \(deviceKeyLength) bytes long")
    }
    return secret
  }

  /// Written under another name and renamed when complete, so that a key is there completely or not at all.
  static func writeSecret(_ name: String, _ root: borrowing TrustedDirectory) throws(StateError) {
    guard let secret = try? RandomBytes.makeSecret(deviceKeyLength) else { throw .cryptography }
    let temporary = ".\(name).new"
    let file = try root.makeFile(temporary, mode: 0o400)
    defer {
      close(file)
      _ = try? root.removeFile(temporary)
    }
    // SAFETY: the secret's bytes are lent for the call.
    let written = unsafe secret.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard written == deviceKeyLength, fsync(file) == 0 else {
      throw .cannotOpen(path: root.path + "/" + name, errno: errno)
    }
    try root.rename(temporary, toNew: name)
  }
}
