import Glibc

/// What the server that this machine has joined has said about its keys and authorities, in a file of the state folder that only
/// root can read.
///
/// It adds to the files that root's configuration names, and ends what they contain. It belongs to one server and to root's files
/// as they were: once root takes a key or an authority out of its file, everything that was learned about that kind is void.
public struct TrustRecord: Equatable, Sendable {
  /// A verdict key (65 bytes) or an authority's certificate (DER).
  public struct Entry: Equatable, Sendable {
    /// The key, or the certificate.
    public let bytes: [UInt8]
    /// When the statement that brought it was signed, in seconds since 1970; 0 for a key of root's file that was ended.
    public let learnedAt: Int64
    /// When the statement that ended it was signed; nil while it is accepted.
    public var endedAt: Int64?

    /// Makes an entry.
    public init(_ bytes: [UInt8], learnedAt: Int64, endedAt: Int64? = nil) {
      self.bytes = bytes
      self.learnedAt = learnedAt
      self.endedAt = endedAt
    }
  }

  /// How many keys are kept at most.
  public static let mostKeys = 16
  /// How many authorities are kept at most.
  public static let mostAuthorities = 8
  /// How many keys, and how many authorities of root's file, a record can belong to.
  public static let mostPinned = 64

  /// SHA-256 of the server's addresses.
  public let place: [UInt8]
  /// The verdict keys in root's file when the record was written, 65 bytes each.
  public var pinnedKeys: [[UInt8]] = []
  /// The verdict keys that the server has announced, and those that have ended, root's included.
  public var keys: [Entry] = []
  /// SHA-256 of each certificate in root's file when the record was written.
  public var pinnedAuthorities: [[UInt8]] = []
  /// The authorities that the server has announced, and those of them that have ended.
  public var authorities: [Entry] = []

  private static let fileName = "machine.trust"
  private static let maximumBytes = 65_536

  /// A record of a server that has said nothing yet.
  public init(place: [UInt8]) { self.place = place }

  /// The record of a state folder; nil if there is none.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written, and `damaged` if the record cannot
  ///   be read.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> TrustRecord? {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return nil }
    return try TrustRecord(bytes)
  }

  /// Reads what ``bytes`` writes.
  ///
  /// - Throws: ``StateError/damaged``.
  init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    place = try reader.data()
    pinnedKeys = try Self.list(&reader, most: Self.mostPinned) { (reader) throws(StateError) in try reader.data() }
    keys = try Self.list(&reader, most: Self.mostKeys, Self.entry)
    pinnedAuthorities = try Self.list(&reader, most: Self.mostPinned) { (reader) throws(StateError) in
      try reader.data()
    }
    authorities = try Self.list(&reader, most: Self.mostAuthorities, Self.entry)
    try reader.finish()
  }

  private static func list<Element>(
    _ reader: inout RecordReader, most: Int, _ read: (inout RecordReader) throws(StateError) -> Element
  ) throws(StateError) -> [Element] {
    let count = Int(try reader.integer(UInt8.self))
    guard count <= most else { throw .damaged }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try read(&reader)) }
    return elements
  }

  private static func entry(_ reader: inout RecordReader) throws(StateError) -> Entry {
    let (bytes, learnedAt) = (try reader.data(), try reader.integer(Int64.self))
    let isEnded = try reader.flag()
    let endedAt = try reader.integer(Int64.self)
    return Entry(bytes, learnedAt: learnedAt, endedAt: isEnded ? endedAt : nil)
  }

  /// The record as bytes.
  var bytes: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(place)
    writer.put(UInt8(clamping: pinnedKeys.count))
    for key in pinnedKeys { writer.put(key) }
    Self.put(keys, &writer)
    writer.put(UInt8(clamping: pinnedAuthorities.count))
    for hash in pinnedAuthorities { writer.put(hash) }
    Self.put(authorities, &writer)
    return writer.bytes
  }

  private static func put(_ entries: [Entry], _ writer: inout RecordWriter) {
    writer.put(UInt8(clamping: entries.count))
    for entry in entries {
      writer.put(entry.bytes)
      writer.put(entry.learnedAt)
      writer.put(entry.endedAt != nil)
      writer.put(entry.endedAt ?? 0)
    }
  }

  /// Stores the record and replaces an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier record then stays.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: bytes)
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
