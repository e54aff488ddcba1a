import Glibc
import Synchronization
import UAFMessages
import UAFService

/// Writes all that is moved of a store as lines, as it is at one moment.
struct StoreExport {
  /// The number of this form; an export with another one is refused.
  static let form: Int64 = 2

  /// What was written.
  struct Summary: Equatable {
    let rows: Int64
    /// The SHA-256 of all lines but the last one, as base64url.
    let hash: String
  }

  private static let page = 1000

  let store: any ServerStore
  /// The store's kind, `sqlite` or `postgresql`.
  let kind: String
  /// Seconds since 1970.
  let now: Int64

  /// Writes to an open file, or only hashes what would be written.
  ///
  /// One transaction reads everything, page by page: what is written meanwhile is not in it, and never is more than a page in
  /// memory.
  ///
  /// - Throws: ``ServerError``; ``StoreFailure``.
  func write(to descriptor: CInt?) async throws -> Summary {
    let hasBegun = Atomic(false)
    return try await store.read { [self] records in
      // A store may read again on another connection. What has gone out cannot be taken back.
      guard !hasBegun.exchange(true, ordering: .relaxed) else {
        throw ServerError.unusableStore("the connection to the store was lost during the export: run it again")
      }
      return try write(records.contents, to: descriptor)
    }
  }

  /// Writes what one transaction shows.
  func write(_ contents: any StoreContents, to descriptor: CInt?) throws -> Summary {
    var writer = try ExportWriter(descriptor)
    var counts = JSONObject()
    for table in MovedTable.all { counts.set(table.type, .integer(try contents.count(table))) }
    try writer.add([
      "type": .string("header"), "form": .integer(Self.form), "version": .string(ServerVersion.current),
      "store": .string(kind), "madeAt": .integer(now), "counts": .object(counts),
    ])
    var (written, all) = (JSONObject(), Int64(0))
    for table in MovedTable.all {
      var (count, key) = (Int64(0), MovedValue?.none)
      while true {
        let rows = try contents.rows(table, after: key, limit: Self.page)
        for row in rows { try writer.add(MovedLine.object(row, of: table)) }
        count += Int64(rows.count)
        key = rows.last?.first
        guard rows.count == Self.page else { break }
      }
      written.set(table.type, .integer(count))
      all += count
    }
    return Summary(rows: all, hash: try writer.end(["type": .string("end"), "counts": .object(written)]))
  }
}
