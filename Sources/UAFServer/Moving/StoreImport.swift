import UAFService

/// Makes an empty store from an export.
struct StoreImport {
  private static let batch = 1000

  let store: any ServerStore
  /// An open file that nobody else writes to.
  let descriptor: CInt
  let path: String
  /// What this import is known by, and no other one: random bytes as text.
  let mark: String

  /// Reads a whole export, and stores nothing.
  ///
  /// - Throws: ``ExportFault``; ``ServerError``.
  static func check(_ descriptor: CInt, path: String) throws -> ExportParser.Header {
    var parser = try ExportParser(descriptor, path: path)
    while try parser.next() != nil {}
    return parser.header
  }

  /// Stores all rows, some in a transaction, and ends with a row of the audit.
  ///
  /// Until that has ended, the store has a mark with which no command opens it. Another import removes what an unfinished one
  /// has left, and puts its own mark there. Each transaction looks for its import's mark, so of two imports at once the one that
  /// began first ends without another change.
  ///
  /// - Parameters:
  ///   - entry: what the audit goes on with.
  ///   - now: seconds since 1970: proofs from before are refused.
  ///   - closing: is done when all rows are there, and before the store can be used.
  /// - Returns: how many rows were stored.
  /// - Throws: ``ExportFault``; ``ServerError``; ``StoreFailure``.
  func run(
    _ header: ExportParser.Header, entry: AuditEntry, now: Int64, closing: () async throws -> Void
  ) async throws -> Int64 {
    try await begin()
    var parser = try ExportParser(descriptor, path: path)
    guard parser.header == header else { throw ExportFault.changedMeanwhile }
    var (rows, table, count) = ([[MovedValue]](), MovedTable.all[0], Int64(0))
    while let next = try parser.next() {
      if next.table != table || rows.count == Self.batch {
        try await add(rows, to: table, before: parser.line)
        rows.removeAll(keepingCapacity: true)
      }
      table = next.table
      rows.append(next.row)
      count += 1
    }
    try await add(rows, to: table, before: parser.line)
    try await closing()
    try await ImportEnd(store: store, mark: mark).run(counts: header.counts, entry: entry, now: now)
    return count
  }

  private func begin() async throws {
    try await store.write { [mark] records in
      if try records.settings.value(of: .unfinishedImport) != nil { try records.contents.removeAll() }
      guard try records.contents.isEmpty() else { throw ExportFault.storeNotEmpty }
      try records.settings.set(.unfinishedImport, to: mark)
    }
  }

  private func add(_ rows: [[MovedValue]], to table: MovedTable, before line: Int) async throws {
    guard !rows.isEmpty else { return }
    do {
      try await store.write { [mark] records in
        try ImportEnd.require(mark, in: records)
        try records.contents.add(rows, to: table)
      }
    } catch let failure as any StoreFailure {
      throw ExportFault.refused(lines: (line - rows.count)...(line - 1), reason: failure.text)
    }
  }
}
