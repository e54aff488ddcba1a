import Glibc

/// That the server which this machine has joined does not know the machine, as the server has signed; in a file of the state
/// folder that only root can read.
///
/// It decides nothing: `uafctl doctor` reads it, so that somebody learns that the machine must join again. So it is neither
/// sealed nor protected by a MAC.
public struct UnknownRecord: Equatable, Sendable {
  /// When the server first said so, in seconds since 1970.
  public let since: Int64

  private static let fileName = "machine.unknown"
  private static let maximumBytes = 64

  /// Makes a record.
  public init(since: Int64) { self.since = since }

  /// The record of a state folder; nil if there is none, or it cannot be read.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> UnknownRecord? {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return nil }
    return try? UnknownRecord(bytes)
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    since = try reader.integer()
    try reader.finish()
  }

  /// Stores the record and replaces an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier record then stays.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(since)
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }

  /// Removes the record.
  ///
  /// - Throws: ``StateError``.
  public static func remove(in path: String, owner: uid_t) throws(StateError) {
    let folder = try TrustedDirectory(path, owner: owner)
    // Most calls find no file: they do not wait for the disk.
    if try folder.removeFile(fileName) { try folder.synchronise() }
  }
}
