import SecretMemory
import UAFCrypto

/// The latest ``maximum`` KeyIDs that this state folder has made for an account.
///
/// They are in a file beside the account's, so that a reset, a deregistration and `uafctl forget` keep them. With them
/// this machine recognises a key that it lost and the server still has. Nothing else depends on the file. It has a mark
/// under the device secret; one whose mark is wrong names no keys.
public enum MadeKeys {
  /// How many are stored; no account loses more keys before the server learns of it.
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
    // Bytes, because Swift's equality of texts ignores some differences.
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

  /// Whether a file in the accounts' folder is one of these, which is useless without the device key that marked it.
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
    // It is always safe to name no key, so this locks no account.
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
