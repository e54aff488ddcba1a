import AuthenticatorTypes
import Glibc
import SecretMemory
import UAFCrypto

/// The registered keys of an account and the secrets that open them, in the account's file.
struct AccountKeys {
  let records: AccountRecords

  init(_ records: AccountRecords) { self.records = records }

  /// Writes the first records of an account.
  func begin(with registrations: [NewRegistration]) throws(StateError) {
    try records.write { () throws(StateError) in
      try records.begin()
      try put(registrations)
    }
  }

  /// Stores keys that the server accepted, and their new authenticators, in one transaction.
  func store(
    _ registrations: [NewRegistration], replacing old: [[UInt8]], replacesValues: Bool
  ) throws(StateError) {
    try records.writeRemoving { () throws(StateError) in
      try records.requireIdentity()
      // The server's earlier answers were about different keys.
      try records.removeLastAnswer()
      if replacesValues { try records.remove(registrations.map(\.key.type)) }
      for keyID in old { try records.removeKey(keyID) }
      try put(registrations)
    }
  }

  private func put(_ registrations: [NewRegistration]) throws(StateError) {
    for registration in registrations {
      let type = registration.key.type
      let stored = try records.authenticator(type)
      // A secret that was removed while the person typed is not restored: that would also restart its count.
      let isAsBefore = registration.isNew ? stored == nil : stored?.sealedKey == registration.enrolled.sealedKey
      guard isAsBefore else { throw .superseded }
      // Its share may have been released while the person typed, so the record on the disk is used.
      var enrolled = stored ?? registration.enrolled
      enrolled.registrationCounter = (stored?.registrationCounter ?? 0) &+ 1
      try records.put(enrolled, type)
      if stored == nil { try records.put(AttemptLedger(), type) }
      try records.put(registration.key)
    }
  }

  /// Seals an open authenticator under a new secret: one row changes, and its keys stay as they are.
  func change(
    _ unlocked: borrowing UnlockedAuthenticator, to value: borrowing Secret, cost: Scrypt.Parameters,
    deviceSecret: borrowing Secret, claimedIn slots: borrowing TrustedDirectory
  ) throws(StateError) {
    let type = unlocked.type
    let enrolled = unlocked.enrolled
    let claim = try unlocked.wrap.claim(in: slots)
    defer { withExtendedLifetime(claim) {} }
    let changed = try unlocked.sealed(under: value, cost: cost, deviceSecret: deviceSecret)
    do throws(StateError) {
      try records.writeRemoving { () throws(StateError) in
        guard try records.authenticator(type) == enrolled else { throw .superseded }
        try records.put(changed, type)
      }
    } catch {
      removeShare(of: changed, type)
      throw error
    }
  }

  /// Removes the share of a value that could not be stored, unless its record is on the disk or may be.
  private func removeShare(of changed: EnrolledAuthenticator, _ type: AuthenticatorType) {
    guard let kept = changed.chipShare else { return }
    do throws(StateError) {
      guard try records.authenticator(type)?.chipShare != kept else { return }
    } catch { return }
    records.removeShare(kept)
  }

  /// Which type was used last; nil if that is not known, or it is no longer registered.
  func lastUsed() throws(StateError) -> AuthenticatorType? {
    guard let type = try records.lastUsed() else { return nil }
    return try records.authenticator(type) == nil ? nil : type
  }

  /// Notes which type was used; nothing is written if it is the same as before.
  func noteUse(of type: AuthenticatorType) throws(StateError) {
    guard try lastUsed() != type else { return }
    try records.write { () throws(StateError) in
      try records.requireIdentity()
      try records.putLastUsed(type)
    }
  }

  /// Changes one key in one transaction.
  ///
  /// - Throws: what `body` throws; ``StateError/absent`` if the key is gone.
  func change<Result>(
    _ keyID: [UInt8], _ body: (inout UAFKey) throws(StateError) -> Result
  ) throws(StateError) -> Result {
    try records.write { () throws(StateError) in
      var key = try records.key(keyID)
      let result = try body(&key)
      try records.put(key)
      return result
    }
  }

  /// Removes keys, the authenticators that are left without one, and, with the last of them, everything but the tombstone.
  func remove(_ keyIDs: [[UInt8]]) throws(StateError) {
    try records.writeRemoving { () throws(StateError) in
      for keyID in keyIDs { try records.removeKey(keyID) }
      let left = try records.keys()
      try records.remove(AuthenticatorType.allCases.filter { type in !left.contains { $0.type == type } })
      try records.buryIfEmpty()
    }
  }

  /// Removes an authenticator's secret, its attempts and its keys; with the last one, everything but the tombstone.
  func reset(_ type: AuthenticatorType) throws(StateError) {
    try records.writeRemoving { () throws(StateError) in
      try records.remove([type])
      try records.buryIfEmpty()
    }
  }
}

/// The latest ``maximum`` KeyIDs that this state folder has made for an account.
///
/// They are in a file next to the account's file, so that a reset, a deregistration and `uafctl forget` keep them. With them this
/// machine recognises a key that it lost and the server still has. Nothing else depends on the file. It has a MAC under the
/// device key; a file with a wrong MAC names no keys.
public enum MadeKeys {
  /// How many KeyIDs are stored; no account loses more keys before the server learns of it.
  public static let maximum = 32

  /// More than the file ever has: a name has 128 characters at the most.
  private static let maximumBytes = 8192
  private static let markLength = 32

  private struct Entry: Equatable {
    let serverUserName: String
    let keyID: [UInt8]
  }

  /// The KeyIDs made for an account under this name at the server, the oldest first.
  ///
  /// - Throws: ``StateError``: `unsafe` or `cannotOpen`.
  public static func keyIDs(
    of uid: UInt32, serverUserName: String, in directory: borrowing StateDirectory
  ) throws(StateError) -> [[UInt8]] {
    // Bytes are compared, because Swift's equality of texts ignores some differences.
    try read(uid, in: directory).filter { Array($0.serverUserName.utf8) == Array(serverUserName.utf8) }.map(\.keyID)
  }

  /// Notes new keys, on disk before a server may learn of them.
  ///
  /// - Throws: ``StateError``; `superseded` while another call writes the account's files.
  public static func add(
    _ keyIDs: [[UInt8]], of uid: UInt32, serverUserName: String, in directory: borrowing StateDirectory
  ) throws(StateError) {
    let change = try FileChange(of: uid, in: directory.slots)
    defer { withExtendedLifetime(change) {} }
    var entries = try read(uid, in: directory)
    entries += keyIDs.map { Entry(serverUserName: serverUserName, keyID: $0) }
    var bytes: [UInt8] = []
    repeat {
      entries.removeFirst(max(entries.count - maximum, bytes.isEmpty ? 0 : 1))
      bytes = body(entries)
    } while bytes.count + markLength > maximumBytes && !entries.isEmpty
    guard let mark = try? HMACSHA256.authenticate(bytes, key: markKey(uid, directory)) else { throw .cryptography }
    try directory.accounts.replace(fileName(uid), with: bytes + mark)
  }

  /// Whether a file in the accounts' folder is one of these, which is useless without the device key that its MAC was made with.
  static func isFile(_ name: String) -> Bool { name.hasSuffix(".made") }

  private static func fileName(_ uid: UInt32) -> String { "\(uid).made" }

  private static func markKey(_ uid: UInt32, _ directory: borrowing StateDirectory) throws(StateError) -> Secret {
    try SealedRecords.markKey("pam-uaf made keys", uid: uid, deviceSecret: directory.deviceSecret)
  }

  private static func body(_ entries: [Entry]) -> [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(UInt8(clamping: entries.count))
    for entry in entries {
      writer.put(entry.serverUserName)
      writer.put(entry.keyID)
    }
    return writer.bytes
  }

  private static func read(_ uid: UInt32, in directory: borrowing StateDirectory) throws(StateError) -> [Entry] {
    var bytes = [UInt8](repeating: 0, count: maximumBytes)
    var length: Int?
    var failure: StateError?
    // SAFETY: the buffer is used for the call only.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(StateError) {
        length = try unsafe directory.accounts.read(fileName(uid), owner: directory.owner, into: buffer)
      } catch { failure = error }
    }
    if let failure { throw failure }
    guard let length, length > markLength else { return [] }
    let body = Array(bytes[..<(length - markLength)])
    let isOurs = try? HMACSHA256.isValid(
      Array(bytes[(length - markLength)..<length]), of: body, key: markKey(uid, directory))
    // Naming no key is always safe, so a damaged file locks no account.
    return isOurs == true ? (try? entries(body)) ?? [] : []
  }

  private static func entries(_ body: [UInt8]) throws(StateError) -> [Entry] {
    var reader = try RecordReader(body, version: 1)
    var entries: [Entry] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      entries.append(Entry(serverUserName: try reader.text(), keyID: try reader.data()))
    }
    try reader.finish()
    return entries
  }
}

/// An empty file next to an account's file.
///
/// It says that the server refused, and that the account's file could not be written.
///
/// Somebody can stop a call in the middle of a write, and so keep that file locked. Without this marker file, the server's
/// earlier success would still be valid for logins without it.
struct RefusalMark {
  private let path: String

  /// The marker file of an account, in the accounts' folder.
  init(of uid: UInt32, in accounts: borrowing TrustedDirectory) { path = accounts.path + "/.\(uid).refused" }

  /// Whether the file exists; if that cannot be determined, it is assumed to exist.
  var isSet: Bool {
    var info = stat()
    // SAFETY: the path lives for the call; `info` is a stat structure.
    return unsafe lstat(path, &info) == 0 || errno != ENOENT
  }

  /// Makes the file, on the disk.
  ///
  /// - Returns: whether the file exists now.
  func set() -> Bool {
    // SAFETY: the path lives for the call.
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    return fsync(file) == 0
  }

  /// Removes it; if that fails, it stays, and logins without the server are refused.
  func clear() {
    // SAFETY: the path lives for the call.
    _ = unsafe unlink(path)
  }
}

/// A counter that was put on the disk together with the end of an attempt, and that nobody has signed with yet.
///
/// A login writes twice after a correct entry: it clears the attempt, and it counts the signature. Written together, they cost
/// one wait for the disk, not two.
final class ReservedCounter {
  private var reserved: (keyID: [UInt8], counter: UInt32)?

  /// Counts a signature of the only key of `type`; inside `write`.
  ///
  /// With several keys it is not yet known which one will sign, and the journal's reserve is meant for few pages. A key that has
  /// signed as often as it can is left unchanged: the signature reports it.
  ///
  /// - Returns: what to hand to ``keep(_:)`` once the transaction is on the disk.
  static func count(_ type: AuthenticatorType, in records: AccountRecords) throws(StateError) -> UAFKey? {
    let keys = try records.keys().filter { $0.type == type }
    guard keys.count == 1, var key = keys.first, (try? key.countSignature()) != nil else { return nil }
    try records.put(key)
    return key
  }

  /// Keeps the counter of a key for one signature.
  func keep(_ key: UAFKey?) { reserved = key.map { ($0.keyID, $0.signCounter) } }

  /// The counter for a signature with this key, once.
  ///
  /// - Parameter stored: the key as it is on the disk now. If another login has counted since, the server may have seen a
  ///   higher one, and the reserved counter is useless.
  func take(for stored: UAFKey) -> UInt32? {
    defer { reserved = nil }
    guard let (keyID, counter) = reserved, keyID == stored.keyID, counter == stored.signCounter else { return nil }
    return counter
  }
}
