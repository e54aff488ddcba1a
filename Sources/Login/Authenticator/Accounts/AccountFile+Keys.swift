import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// The registered keys of an account, and the secrets that open them.
extension AccountFile {
  /// Seals a new random key under a new secret, for a registration.
  ///
  /// Only ``store(_:replacing:replacesValues:)`` stores anything.
  ///
  /// - Throws: ``StateError/cryptography``.
  public static func enrol(
    _ value: borrowing Secret, for type: AuthenticatorType, identity: AccountIdentity, cost: Scrypt.Parameters,
    in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot
  ) throws(StateError) -> UnlockedAuthenticator {
    let wrap = AccountRecords.wrap(type, of: identity, in: directory)
    return try UnlockedAuthenticator.enrol(value, wrap: wrap, cost: cost, in: directory)
  }

  /// The secret that is set for a type; nil if none is.
  ///
  /// - Throws: ``StateError``; `damaged` if there are attempts or keys without it: somebody removed it.
  public func authenticator(_ type: AuthenticatorType) throws(StateError) -> EnrolledAuthenticator? {
    try contents.authenticator(type)
  }

  /// The registered keys, of every application.
  ///
  /// - Throws: ``StateError``.
  public func keys() throws(StateError) -> [RegisteredKey] { try contents.keys() }

  /// Stores keys that the server accepted, and their new authenticators, in one transaction.
  ///
  /// - Parameters:
  ///   - records: what the new authenticators with a sensor are bound to; they replace earlier ones.
  ///   - old: keys that the new ones replace.
  ///   - replacesValues: whether to remove the authenticators' earlier secrets, attempts and keys, as for a person who
  ///     registers anew after forgetting the secret.
  /// - Throws: ``StateError``; `superseded` if the authenticator has been given a different secret in the meantime, or was reset;
  ///   `absent` if the whole account was reset.
  public func store(
    _ registrations: [NewRegistration], boundTo records: [BiometricRecord] = [], replacing old: [[UInt8]] = [],
    replacesValues: Bool = false
  ) throws(StateError) {
    try contents.writeRemoving { () throws(StateError) in
      try contents.requireIdentity()
      // The server's last answer was about different keys.
      try contents.removeLastAnswer()
      if replacesValues { try contents.remove(registrations.map(\.key.type)) }
      for keyID in old { try contents.removeKey(keyID) }
      for record in records { try contents.put(record) }
      try contents.put(registrations)
    }
  }

  /// Seals an open authenticator under a new secret: one row changes, and its keys stay as they are.
  ///
  /// - Throws: ``StateError``; `superseded` if somebody changed it in the meantime.
  public func change(
    _ unlocked: borrowing UnlockedAuthenticator, to value: borrowing Secret, cost: Scrypt.Parameters,
    in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot
  ) throws(StateError) {
    let type = unlocked.type
    let enrolled = unlocked.enrolled
    let claim = try unlocked.wrap.claim(in: directory.slots)
    defer { withExtendedLifetime(claim) {} }
    let changed = try unlocked.sealed(under: value, cost: cost, deviceSecret: directory.deviceSecret)
    do throws(StateError) {
      try contents.writeRemoving { () throws(StateError) in
        guard try contents.authenticator(type) == enrolled else { throw .superseded }
        try contents.put(changed, type)
      }
    } catch {
      removeShare(of: changed, type)
      throw error
    }
  }

  /// Removes the share of a new secret that could not be stored.
  ///
  /// If the record with this share is on the disk after all, or that cannot be determined, the share stays.
  private func removeShare(of changed: EnrolledAuthenticator, _ type: AuthenticatorType) {
    guard let kept = changed.chipShare else { return }
    do throws(StateError) {
      guard try contents.authenticator(type)?.chipShare != kept else { return }
    } catch { return }
    contents.removeShare(kept)
  }

  /// Which type was used last; nil if that is not known, or it is no longer registered.
  ///
  /// - Throws: ``StateError``.
  public func lastUsed() throws(StateError) -> AuthenticatorType? {
    guard let type = try contents.lastUsed() else { return nil }
    return try contents.authenticator(type) == nil ? nil : type
  }

  /// Notes which type was used; nothing is written if it is the same as before.
  ///
  /// - Throws: ``StateError``.
  public func noteUse(of type: AuthenticatorType) throws(StateError) {
    guard try lastUsed() != type else { return }
    try contents.write { () throws(StateError) in
      try contents.requireIdentity()
      try contents.putLastUsed(type)
    }
  }

  /// The counter for the next signature.
  ///
  /// It is on the disk before it is used, because the server refuses a counter that it has already seen.
  ///
  /// - Throws: ``StateError``; `absent` if the key is gone.
  public func nextSignCounter(_ keyID: [UInt8]) throws(StateError) -> UInt32 {
    if let counter = counter.take(for: try contents.key(keyID)) { return counter }
    return try change(keyID) { (key: inout RegisteredKey) throws(StateError) in try key.countSignature() }
  }

  /// Notes what the server said about a key.
  ///
  /// - Throws: ``StateError``.
  public func mark(_ keyID: [UInt8], serverStatus: UInt32) throws(StateError) {
    try change(keyID) { (key: inout RegisteredKey) throws(StateError) in key.note(serverStatus: serverStatus) }
  }

  /// Changes one key in one transaction.
  ///
  /// - Throws: what `body` throws; ``StateError/absent`` if the key is gone.
  private func change<Result>(
    _ keyID: [UInt8], _ body: (inout RegisteredKey) throws(StateError) -> Result
  ) throws(StateError) -> Result {
    try contents.write { () throws(StateError) in
      var key = try contents.key(keyID)
      let result = try body(&key)
      try contents.put(key)
      return result
    }
  }

  /// Removes keys, and the authenticators that then have no key.
  ///
  /// With the last authenticator, the whole account is removed, except the tombstone and the records that the machine needs to
  /// ask the server for the account's state.
  ///
  /// - Throws: ``StateError``.
  public func remove(_ keyIDs: [[UInt8]]) throws(StateError) {
    try contents.writeRemoving { () throws(StateError) in
      for keyID in keyIDs { try contents.removeKey(keyID) }
      let left = try contents.keys()
      try contents.remove(AuthenticatorType.allCases.filter { type in !left.contains { $0.type == type } })
      try contents.buryIfEmpty()
    }
  }

  /// Removes an authenticator's secret, its attempts and its keys; if it was the last authenticator, the account is removed as
  /// in ``remove(_:)``.
  ///
  /// - Throws: ``StateError``.
  public func reset(_ type: AuthenticatorType) throws(StateError) {
    try contents.writeRemoving { () throws(StateError) in
      try contents.remove([type])
      try contents.buryIfEmpty()
    }
  }
}

extension AccountRecords {
  /// Writes the first records of an account.
  func begin(with registrations: [NewRegistration]) throws(StateError) {
    try write { () throws(StateError) in
      try begin()
      try put(registrations)
    }
  }

  /// Stores new keys and authenticators; inside `write`.
  ///
  /// - Throws: ``StateError``; `superseded` if an authenticator was set, changed or removed since its registration began.
  fileprivate func put(_ registrations: [NewRegistration]) throws(StateError) {
    for registration in registrations {
      let type = registration.key.type
      let stored = try authenticator(type)
      // If the secret was removed while the person typed, it is not restored: that would also reset its count of attempts.
      let isAsBefore = registration.isNew ? stored == nil : stored?.sealedKey == registration.enrolled.sealedKey
      guard isAsBefore else { throw .superseded }
      // The recovery key may have released the authenticator's share while the person typed, so the record on the disk is used.
      var enrolled = stored ?? registration.enrolled
      enrolled.registrationCounter = (stored?.registrationCounter ?? 0) &+ 1
      try put(enrolled, type)
      if stored == nil { try put(AttemptLedger(), type) }
      try put(registration.key)
    }
  }
}

/// A signature counter that was put on the disk together with the end of an attempt, and with which nothing has been signed
/// yet.
///
/// After a correct entry, a login has to clear the attempt and count the signature. If both are written together, the login
/// waits for the disk once, not twice.
final class ReservedCounter {
  private var reserved: (keyID: [UInt8], counter: UInt32)?

  /// Counts a signature of the only key of `type`; inside `write`.
  ///
  /// If there are several keys, none is counted: it is not yet known which one will sign, and the space reserved in the journal
  /// is only enough for a few pages. A key that has reached its highest counter is left unchanged too; the signature itself
  /// then reports the error.
  ///
  /// - Returns: the key to pass to ``keep(_:)`` once the transaction is on the disk.
  static func count(_ type: AuthenticatorType, in records: AccountRecords) throws(StateError) -> RegisteredKey? {
    let keys = try records.keys().filter { $0.type == type }
    guard keys.count == 1, var key = keys.first, (try? key.countSignature()) != nil else { return nil }
    try records.put(key)
    return key
  }

  /// Keeps the counter of a key for one signature.
  func keep(_ key: RegisteredKey?) { reserved = key.map { ($0.keyID, $0.signCounter) } }

  /// Takes the reserved counter for a signature with this key; a second call gets nil.
  ///
  /// - Parameter stored: the key as it is on the disk now. If another login has counted since, the server may have seen a
  ///   higher counter, so the reserved one is useless.
  func take(for stored: RegisteredKey) -> UInt32? {
    defer { reserved = nil }
    guard let (keyID, counter) = reserved, keyID == stored.keyID, counter == stored.signCounter else { return nil }
    return counter
  }
}

/// The latest ``maximum`` KeyIDs that this state folder has made for an account.
///
/// They are in a file next to the account's file, so that a reset, a deregistration and `uafctl forget` keep them. With them,
/// this machine recognises a key that the server still has but this machine has lost. Nothing else depends on the file. It has
/// a MAC under the device key; a file with a wrong MAC is treated as empty.
public enum MadeKeys {
  /// How many KeyIDs are stored; an account is not expected to lose more keys than this before the server learns of it.
  public static let maximum = 32

  /// More than the file ever has: a name has at most 128 characters.
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

  /// Stores the KeyIDs of new keys on the disk; this must come before a server learns of them.
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

  /// Whether a file in the accounts' folder is such a list of KeyIDs.
  ///
  /// It is useless without the device key, with which its MAC was made.
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
    // An empty list is always safe, so a damaged file locks no account.
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
