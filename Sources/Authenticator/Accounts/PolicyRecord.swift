import Glibc

/// The policy that the server has signed for this machine, in a file of the state folder; readable only by root.
///
/// It is the signed text, which each reader verifies again. So it is neither sealed nor marked.
public struct PolicyRecord: Equatable, Sendable {
  /// When the machine has joined, by the server's clock, in seconds since 1970: nothing that was signed before is taken.
  public let joinedAt: Int64
  /// The highest version that was taken since then; 0 for none.
  public let version: Int64
  /// The token; empty for none.
  public let token: [UInt8]

  private static let fileName = "machine.policy"
  /// 24 KiB for the token, and what stands before it.
  private static let maximumBytes = 24 * 1024 + 32

  /// Makes a record; without a policy that of a machine that has just joined.
  public init(joinedAt: Int64, version: Int64 = 0, token: [UInt8] = []) {
    self.joinedAt = joinedAt
    self.version = version
    self.token = token
  }

  /// The record of a state folder; nil if there is none, as before a machine joins.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written, and `damaged` for one that cannot be
  ///   read.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> PolicyRecord? {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return nil }
    return try PolicyRecord(bytes)
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    joinedAt = try reader.integer()
    version = try reader.integer()
    token = try reader.data()
    try reader.finish()
  }

  /// Keeps the record in place of an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier one is then as it was.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(joinedAt)
    writer.put(version)
    writer.put(token)
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }

  /// Removes the record.
  ///
  /// - Throws: ``StateError``.
  public static func remove(in path: String, owner: uid_t) throws(StateError) {
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.removeFile(fileName)
    try folder.synchronise()
  }
}
