import UAFMessages
import UAFService

/// The last transaction of an import: from then on the store can be used.
struct ImportEnd {
  let store: any ServerStore
  /// What the import is known by.
  let mark: String

  /// Refuses to go on in a store that another import has taken over or finished.
  static func require(_ mark: String, in records: any StoreTransaction) throws {
    guard try records.settings.value(of: .unfinishedImport) == mark else { throw ExportFault.otherImport }
  }

  /// Does what a restore does: what may have been used since the export is closed.
  ///
  /// - Parameters:
  ///   - counts: how many rows of each type there must be; nil if that was found before.
  ///   - entry: what the audit goes on with.
  ///   - now: seconds since 1970: proofs from before are refused.
  func run(counts: JSONObject?, entry: AuditEntry, now: Int64) async throws {
    try await store.write { [mark] records in
      try Self.require(mark, in: records)
      if let counts { try Self.require(counts, in: records.contents) }
      try records.contents.continueNumbers()
      try records.approvals.closeAll()
      try records.settings.set(.restoredAt, to: String(now))
      try records.settings.set(.importedAs, to: mark)
      try records.audit.append([entry])
      try records.settings.remove(.unfinishedImport)
    }
  }

  /// A server that had opened the store before it had the mark would have added rows of its own.
  private static func require(_ counts: JSONObject, in contents: any StoreContents) throws {
    for table in MovedTable.all {
      let count = try contents.count(table)
      guard counts[table.type] == .integer(count) else { throw ExportFault.storeWritten(type: table.type) }
    }
  }
}
