import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// What is stored of a person's keyring, for one authenticator of the account.
///
/// The password is sealed under a key that is derived from the authenticator's own random key. So only a right value opens it,
/// together with the chip's share if the authenticator has one. A change of the value seals that random key anew, so the password
/// survives it. Everything that removes the authenticator removes this record as well.
public enum KeyringRecord: Equatable, Sendable {
  /// The sealed password: all records of this kind have the same length.
  case sealed(nonce: [UInt8], password: [UInt8])
  /// The person wants no password to be kept, and is not asked again.
  case declined

  /// How many bytes a password has.
  public static let passwordByteCounts = 1...512

  private static let purpose = "pam-uaf keyring"
  /// The number of bytes that a password has, in two bytes, and then the longest password.
  private static let paddedByteCount = 2 + passwordByteCounts.upperBound

  // MARK: The seal

  /// Seals a password with an open authenticator.
  ///
  /// - Returns: nil if the password is empty, too long, or has a NUL.
  /// - Throws: ``StateError/cryptography``.
  static func seal(
    _ password: borrowing Secret, with unlocked: borrowing UnlockedAuthenticator
  ) throws(StateError) -> KeyringRecord? {
    let count = password.count
    let hasNUL = password.withBytes { bytes in bytes.indices.contains { bytes[$0] == 0 } }
    guard passwordByteCounts.contains(count), !hasNUL else { return nil }
    do {
      // SAFETY: the room is longer than the longest password and its two bytes of length, and begins as zeros.
      let padded = try unsafe Secret(count: paddedByteCount) { room in
        unsafe room[0] = UInt8(count >> 8)
        unsafe room[1] = UInt8(count & 0xff)
        password.withBytes { bytes in for index in bytes.indices { unsafe room[2 + index] = bytes[index] } }
      }
      let nonce = try RandomBytes.make(AES256GCM.nonceByteCount)
      let sealed = try AES256GCM.seal(
        padded, key: try unlocked.derivedKey(for: purpose), nonce: nonce, additionalData: unlocked.bound(to: purpose))
      return .sealed(nonce: nonce, password: sealed)
    } catch { throw .cryptography }
  }

  /// Opens the password with an open authenticator.
  ///
  /// - Returns: nil if the person wants none to be kept.
  /// - Throws: ``StateError``; `damaged` if the seal is that of a different account, authenticator or key, or was changed.
  func open(with unlocked: borrowing UnlockedAuthenticator) throws(StateError) -> Secret? {
    guard case .sealed(let nonce, let sealed) = self else { return nil }
    let padded: Secret
    do throws(CryptoError) {
      padded = try AES256GCM.open(
        sealed, key: try unlocked.derivedKey(for: Self.purpose), nonce: nonce,
        additionalData: unlocked.bound(to: Self.purpose))
    } catch { throw error == .authenticationFailed ? .damaged : .cryptography }
    guard padded.count == Self.paddedByteCount else { throw .damaged }
    return try padded.withBytes { (bytes: Span<UInt8>) throws(StateError) -> Secret in
      let count = Int(bytes[0]) << 8 | Int(bytes[1])
      guard Self.passwordByteCounts.contains(count) else { throw .damaged }
      guard let password = try? Secret(copying: bytes.extracting(2..<2 + count)) else { throw .cryptography }
      return password
    }
  }

  // MARK: The file

  /// The body of the record.
  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    switch self {
    case .sealed(let nonce, let password):
      writer.put(true)
      writer.put(nonce)
      writer.put(password)
    case .declined: writer.put(false)
    }
    return writer.bytes
  }

  /// Reads a body.
  ///
  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    var reader = try RecordReader(record, version: 1)
    self = try reader.flag() ? .sealed(nonce: try reader.data(), password: try reader.data()) : .declined
    try reader.finish()
  }
}

extension AccountFile {
  /// What is stored of the person's keyring for an authenticator; nil if nothing was decided.
  ///
  /// - Throws: ``StateError``.
  public func keyring(_ type: AuthenticatorType) throws(StateError) -> KeyringRecord? { try contents.keyring(type) }

  /// The password of the person's keyring, opened with an open authenticator.
  ///
  /// - Returns: nil if none is kept under this authenticator.
  /// - Throws: ``StateError``; `damaged` if the seal does not open.
  public func keyringPassword(with unlocked: borrowing UnlockedAuthenticator) throws(StateError) -> Secret? {
    guard let record = try contents.keyring(unlocked.type) else { return nil }
    return try record.open(with: unlocked)
  }

  /// Keeps the password of the person's keyring under an open authenticator, and replaces an earlier one.
  ///
  /// - Returns: false, and nothing changes, if the password is empty, longer than 512 bytes, or has a NUL.
  /// - Throws: ``StateError``; `superseded` if the authenticator was changed or removed in the meantime, `absent` if the account
  ///   was removed.
  public func keepKeyring(
    _ password: borrowing Secret, with unlocked: borrowing UnlockedAuthenticator
  ) throws(StateError) -> Bool {
    let type = unlocked.type
    let sealedKey = unlocked.enrolled.sealedKey
    guard let record = try KeyringRecord.seal(password, with: unlocked) else { return false }
    try contents.write { () throws(StateError) in
      try contents.requireIdentity()
      guard try contents.authenticator(type)?.sealedKey == sealedKey else { throw .superseded }
      try contents.put(record, type)
    }
    return true
  }

  /// Removes the kept passwords of the person's keyring, and notes that the person wants none.
  ///
  /// - Returns: the types under which one was kept.
  /// - Throws: ``StateError``; `absent` if the account was removed.
  public func declineKeyring() throws(StateError) -> [AuthenticatorType] {
    try contents.write { () throws(StateError) in
      try contents.requireIdentity()
      let kept = try contents.typesWithKeyring()
      for type in AuthenticatorType.allCases where type.isTyped {
        if try contents.authenticator(type) != nil { try contents.put(.declined, type) }
      }
      return kept
    }
  }

  /// The types under which a password of the person's keyring is kept.
  ///
  /// - Throws: ``StateError``.
  public func typesWithKeyring() throws(StateError) -> [AuthenticatorType] { try contents.typesWithKeyring() }

  /// Removes what is stored of every keyring of a state folder, because its device key was recovered.
  ///
  /// Damaged accounts are skipped: they cannot be opened anyway.
  ///
  /// - Returns: the accounts for which a password was kept, by uid.
  /// - Throws: ``StateError`` of the first account that failed, after all others have been tried.
  public static func forgetKeyrings(in directory: borrowing StateDirectory) throws(StateError) -> [UInt32] {
    var found: [UInt32] = []
    var failure: StateError?
    for uid in try AccountFiles.numbers(in: directory) {
      do throws(StateError) {
        guard let file = try open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil }) else { continue }
        guard try !file.typesWithKeyring().isEmpty else { continue }
        try file.contents.write { () throws(StateError) in
          for type in AuthenticatorType.allCases { try file.contents.removeKeyring(type) }
        }
        found.append(uid)
      } catch {
        if !error.meansLocked { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    return found
  }
}
