import SecretMemory
import UAFService

/// A file of keys that follow each other, of 32 bytes each.
///
/// A key that was never rotated is the whole file. Otherwise there is a record for each: when it begins to be used (8 bytes,
/// big-endian, seconds since 1970), and the key. One rename exchanges the file, so there is no half of a rotation.
struct KeyFile<Key: Sendable> {
  let path: String
  /// Makes a new key.
  let new: () throws -> sending Secret
  /// Turns bytes of the file into a key.
  let key: (consuming sending Secret) throws -> Key

  /// The most keys of one file: one that is still accepted, one in use, one to come, and one more.
  static var mostKeys: Int { 4 }
  /// How long the file may be.
  static var lengths: [Int] { [keyLength] + (1...mostKeys).map { $0 * recordLength } }
  private static var keyLength: Int { 32 }
  private static var recordLength: Int { 40 }

  /// The keys of the file; a key is made if there is no file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``CryptoError``.
  func ring() throws -> KeyRing<Key> {
    if let bytes = try read() { return try ring(of: bytes) }
    let made = try new()
    if try StateFile.create(path: path, mode: 0o600, contents: made) { return try ring(of: made) }
    // Another process was faster.
    return try ring()
  }

  /// Adds a new key, and forgets those that were replaced more than a day ago.
  ///
  /// - Parameters:
  ///   - from: when it begins to be used, in seconds since 1970.
  /// - Throws: ``ServerError/refusedRotation(_:)`` if a new key waits already, or if there are too many.
  func rotate(now: Int64, from: Int64) throws -> KeyRing<Key> {
    let old = try ring()
    let entries = old.entries
    guard let last = entries.last, last.from < now, last.from < from else {
      throw ServerError.refusedRotation(
        "\(path): its newest key is not in use yet, or has been only since this moment: wait until it is")
    }
    let kept = old.kept(at: now).map(\.from)
    guard kept.count < Self.mostKeys else {
      throw ServerError.refusedRotation("\(path): there are \(kept.count) keys: wait a day after the last rotation")
    }
    guard let bytes = try read() else { throw ServerError.unusableFile(path: path, reason: "is not there any more") }
    let added = try new()
    var contents = try Secret(capacity: (kept.count + 1) * Self.recordLength)
    let isPlain = bytes.count == Self.keyLength
    for (index, entry) in entries.enumerated() where kept.contains(entry.from) {
      Self.append(entry.from, bytes, at: isPlain ? 0 : index * Self.recordLength + 8, to: &contents)
    }
    Self.append(from, added, at: 0, to: &contents)
    try StateFile.replace(path: path, mode: 0o600, contents: contents)
    return try ring(of: contents)
  }

  private func read() throws(ServerError) -> Secret? {
    try StateFile.readSecret(path: path, counts: Self.lengths)
  }

  private func ring(of bytes: borrowing Secret) throws -> KeyRing<Key> {
    if bytes.count == Self.keyLength { return KeyRing(try key(Self.part(of: bytes, at: 0))) }
    var entries: [KeyRing<Key>.Entry] = []
    for start in stride(from: 0, to: bytes.count, by: Self.recordLength) {
      let from = bytes.withBytes { bytes in (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[start + $1]) } }
      entries.append(
        .init(
          from: Int64(bitPattern: from),
          key: try key(Self.part(of: bytes, at: start + 8))))
    }
    guard let ring = KeyRing(entries) else {
      throw ServerError.unusableFile(path: path, reason: "its keys are not in the order of their times: restore it")
    }
    return ring
  }

  /// One key of the file.
  private static func part(of bytes: borrowing Secret, at start: Int) throws -> sending Secret {
    // SAFETY: the new secret has pages of its own and shares nothing with `bytes`; the buffer has room for a key.
    nonisolated(unsafe) let part = try unsafe Secret(count: keyLength) { buffer in
      bytes.withBytes { bytes in for index in 0..<keyLength { unsafe buffer[index] = bytes[start + index] } }
    }
    return unsafe part
  }

  /// Appends a record.
  private static func append(
    _ from: Int64, _ source: borrowing Secret, at start: Int, to contents: inout Secret
  ) {
    let end = contents.count
    // SAFETY: `contents` has room for every record that is appended, and both buffers live for their closures.
    unsafe contents.refill { buffer in
      for index in 0..<8 { unsafe buffer[end + index] = UInt8(truncatingIfNeeded: from >> (8 * (7 - index))) }
      source.withBytes { key in
        for index in 0..<keyLength { unsafe buffer[end + 8 + index] = key[start + index] }
      }
      return end + recordLength
    }
  }
}
