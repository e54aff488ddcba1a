import ArgumentParser
import Foundation
import SecretMemory
import UAFConsole
import UAFMessages
import UAFService

/// A file with the keys of a ``KeyRing``, 32 bytes each.
///
/// A key that was never rotated is the whole content of the file. Otherwise there is a record for each key: the time from which
/// it is used (8 bytes, big-endian, seconds since 1970), and the key. The file is replaced by one rename, so a rotation is
/// never half done.
struct KeyFile<Key: Sendable> {
  let path: String
  /// Makes a new key.
  let new: () throws -> sending Secret
  /// Makes a key from bytes of the file.
  let key: (consuming sending Secret) throws -> Key

  /// The most keys in one file: one that is still accepted, one in use, one for the future, and one to spare.
  static var mostKeys: Int { 4 }
  /// The possible lengths of the file.
  static var lengths: [Int] { [keyLength] + (1...mostKeys).map { $0 * recordLength } }
  private static var keyLength: Int { 32 }
  private static var recordLength: Int { 40 }

  /// The keys in the file; if there is no file, it is created with a new key.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``CryptoError``.
  func ring() throws -> KeyRing<Key> {
    if let bytes = try read() { return try ring(of: bytes) }
    let made = try new()
    if try StateFile.create(path: path, mode: 0o600, contents: made) { return try ring(of: made) }
    // A different process has created the file in the meantime.
    return try ring()
  }

  /// Adds a new key, and removes keys that were replaced more than a day ago.
  ///
  /// - Parameters:
  ///   - from: the time from which the new key is used, in seconds since 1970.
  /// - Throws: ``ServerError/refusedRotation(_:)`` if a new key is waiting already, or if there are too many keys.
  func rotate(now: Int64, from: Int64) throws -> KeyRing<Key> {
    let old = try ring()
    let entries = old.entries
    guard let last = entries.last, last.from < now, last.from < from else {
      throw ServerError.refusedRotation(
        "\(path): its newest key is not in use yet, or came into use just now: wait, and try again")
    }
    let kept = old.kept(at: now).map(\.from)
    guard kept.count < Self.mostKeys else {
      throw ServerError.refusedRotation("\(path): there are \(kept.count) keys: wait a day after the last rotation")
    }
    guard let bytes = try read() else { throw ServerError.unusableFile(path: path, reason: "no longer exists") }
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

  /// Brings the key that waits into use now, before its time.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``ServerError/refusedRotation(_:)`` if no key waits.
  func finish(now: Int64) throws -> KeyRing<Key> {
    let entries = try ring().entries
    guard let last = entries.last, last.from > now, entries.dropLast().allSatisfy({ $0.from < now }),
      let bytes = try read()
    else { throw ServerError.refusedRotation("\(path): no key waits to be used") }
    var contents = try Secret(capacity: entries.count * Self.recordLength)
    for (index, entry) in entries.enumerated() {
      let from = index == entries.count - 1 ? now : entry.from
      Self.append(from, bytes, at: index * Self.recordLength + 8, to: &contents)
    }
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
    // SAFETY: the new secret has its own pages and shares nothing with `bytes`; the buffer has room for a key.
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

/// Lists of the server's keys, for administrators.
enum KeyList {
  private struct Row {
    let kind: RotatedKey
    let id: String
    /// The time from which it is used, in seconds since 1970; 0 for a key that is older than the first rotation.
    let from: Int64
    let use: Use
  }

  private enum Use: String {
    case inUse = "in-use"
    case toCome = "to-come"
    case accepted
    /// It was replaced more than a day ago, and is in the file until the next rotation.
    case ended

    var fact: ServerFacts.Key.Use {
      switch self {
      case .inUse: .inUse
      case .toCome: .toCome
      case .accepted: .accepted
      case .ended: .ended
      }
    }
  }

  /// A line with titles, and a line for each key.
  static func lines(_ keys: ServerKeys, now: Int64) -> [String] {
    ["kind\tid\tsince\tuse"]
      + rows(keys, now: now).map { row in
        "\(row.kind.rawValue)\t\(row.id)\t\(row.from == 0 ? "-" : Terminal.time(row.from))\t\(row.use.rawValue)"
      }
  }

  /// An object for each key.
  static func objects(_ keys: ServerKeys, now: Int64) -> [JSONObject] {
    rows(keys, now: now).map { row in
      var object: JSONObject = [
        "kind": .string(row.kind.rawValue), "id": .string(row.id), "use": .string(row.use.rawValue),
      ]
      object.set("since", row.from == 0 ? nil : .integer(row.from))
      return object
    }
  }

  /// The keys as the console shows them.
  static func facts(_ keys: ServerKeys, now: Int64) -> [ServerFacts.Key] {
    rows(keys, now: now).map { row in
      ServerFacts.Key(
        kind: row.kind.rawValue, id: row.id, from: row.from == 0 ? nil : row.from,
        use: row.use.fact)
    }
  }

  /// The keys on one line, for the log and the audit: kind, id and use of each.
  static func text(_ keys: ServerKeys, now: Int64) -> String {
    rows(keys, now: now).map { "\($0.kind.rawValue) \($0.id) \($0.use.rawValue)" }.joined(separator: ", ")
  }

  private static func rows(_ keys: ServerKeys, now: Int64) -> [Row] {
    let rings = keys.rings
    return rows(.secret, rings.secrets, now: now, id: \.id) + rows(.verdict, rings.verdictKeys, now: now, id: \.id)
      + rows(.audit, rings.auditKeys, now: now, id: \.id) + rows(.machine, rings.machineSecrets, now: now, id: \.id)
  }

  private static func rows<Key>(_ kind: RotatedKey, _ ring: KeyRing<Key>, now: Int64, id: (Key) -> String) -> [Row] {
    let current = id(ring.current(at: now))
    let kept = Set(ring.kept(at: now).map(\.from))
    return ring.entries.map { entry in
      let name = id(entry.key)
      let use: Use =
        name == current ? .inUse : entry.from > now ? .toCome : kept.contains(entry.from) ? .accepted : .ended
      return Row(kind: kind, id: name, from: entry.from, use: use)
    }
  }
}

/// A key that can be rotated.
enum RotatedKey: String, CaseIterable, ExpressibleByArgument {
  /// The secret that authenticates session data, `server.secret`.
  case secret
  /// The key that signs verdicts, `verdict.key`.
  case verdict
  /// The key that signs heads of the audit, `audit.key`.
  case audit
  /// The secret from which the machines' secrets are computed, `machine.secret`.
  case machine

  /// The default time until a new key is used, in seconds.
  ///
  /// A new secret, or a new key for heads, only has to be copied to the other servers (and `audit.pub` to whoever verifies
  /// heads). The public key for verdicts has to reach every workstation.
  var standardDelay: Int64 { self == .verdict ? 604_800 : 3600 }
}

/// A file of public keys, PEM.
enum PublicKeyFile {
  /// Reads the public keys with which heads of the audit are verified.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func auditHeadKeys(path: String) throws -> AuditHeadKeys {
    guard let bytes = try StateFile.read(path: path, isSecret: false) else {
      throw ServerError.unusableFile(
        path: path, reason: "does not exist: start the server once, or name another file with --key")
    }
    let blocks = String(decoding: bytes, as: UTF8.self).components(separatedBy: "-----BEGIN PUBLIC KEY-----")
      .dropFirst()
    let keys = blocks.compactMap { block in
      block.components(separatedBy: "-----END").first.flatMap {
        Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
      }
    }
    do {
      guard !keys.isEmpty, keys.count == blocks.count else { throw CocoaError(.coderReadCorrupt) }
      return try AuditHeadKeys(publicKeys: keys.map { Array($0) })
    } catch {
      throw ServerError.unusableFile(
        path: path, reason: "has no public key for P-256, or contains something else: restore it")
    }
  }
}
