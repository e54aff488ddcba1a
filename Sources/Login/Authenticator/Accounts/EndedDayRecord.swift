import Glibc

/// The latest day of a `nouserok=` whose end this machine has seen; in a file of the state folder that only root can write.
///
/// A clock that is set back does not make that day begin again, and neither does a machine that starts without the time. The
/// record has the day that root wrote, and not the time that the clock showed: after a clock that once ran ahead, root need only
/// name a later day.
public struct EndedDayRecord: Equatable, Sendable {
  /// Whole days since 1970-01-01.
  public let day: Int64

  private static let fileName = "nouserok.ended"
  private static let maximumBytes = 64

  /// Makes a record.
  public init(day: Int64) { self.day = day }

  /// The record of a state folder; nil if there is none.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written; `damaged` for a file of another form.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> EndedDayRecord? {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return nil }
    var reader = try RecordReader(bytes, version: 1)
    let record = EndedDayRecord(day: try reader.integer())
    try reader.finish()
    return record
  }

  /// Stores the record, and replaces one of an earlier day.
  ///
  /// Two calls may do this at the same time. If the record of the earlier day is then the one that stays, the next login with
  /// the later day stores that again.
  ///
  /// - Throws: ``StateError``; the earlier record then stays.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(day)
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }
}
