import Glibc

/// What this machine has told the server that it has joined, in a file of the state folder; readable only by root.
///
/// It opens nothing. Whoever changes it is told apart from this machine by the server, and no more.
public struct CheckInRecord: Equatable, Sendable {
  /// A report that the server has taken.
  public struct Told: Equatable, Sendable {
    /// SHA-256 of what it said.
    public let hash: [UInt8]
    /// When that was, in seconds since 1970.
    public let at: Int64
    /// The number of the server's news; nil if it named none.
    public let news: Int64?

    /// Makes a note of a report.
    public init(hash: [UInt8], at: Int64, news: Int64?) {
      self.hash = hash
      self.at = at
      self.news = news
    }
  }

  /// The mark that the last report has set; nil before the first one.
  public var mark: [UInt8]?
  /// The mark that the report under way sets; nil once the server has answered.
  public var nextMark: [UInt8]?
  /// When a report was sent that the server has not answered, in seconds since 1970; nil if it has.
  public var sentAt: Int64?
  /// The last report that it has taken; nil before the first one.
  public var told: Told?

  private static let fileName = "machine.checkin"
  private static let maximumBytes = 256

  /// A record of a machine that has told nothing.
  public init() {}

  /// The record of a state folder; an empty one if there is none, or one that cannot be read.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> CheckInRecord {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return CheckInRecord() }
    return (try? CheckInRecord(bytes)) ?? CheckInRecord()
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    mark = Self.present(try reader.data())
    nextMark = Self.present(try reader.data())
    sentAt = try Self.number(&reader)
    let hash = try reader.data()
    let (at, news) = (try Self.number(&reader), try Self.number(&reader))
    told = at.map { Told(hash: hash, at: $0, news: news) }
    try reader.finish()
  }

  private static func present(_ bytes: [UInt8]) -> [UInt8]? { bytes.isEmpty ? nil : bytes }

  private static func number(_ reader: inout RecordReader) throws(StateError) -> Int64? {
    let isThere = try reader.flag()
    let number: Int64 = try reader.integer()
    return isThere ? number : nil
  }

  /// Keeps the record in place of an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier one is then as it was.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(mark ?? [])
    writer.put(nextMark ?? [])
    Self.put(sentAt, &writer)
    writer.put(told?.hash ?? [])
    Self.put(told?.at, &writer)
    Self.put(told?.news, &writer)
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }

  private static func put(_ number: Int64?, _ writer: inout RecordWriter) {
    writer.put(number != nil)
    writer.put(number ?? 0)
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
