import GRDB
import UAFService

/// Keeps everybody else from writing to a store's file, while its rows are copied elsewhere; others read meanwhile.
///
/// It is a transaction that has changed nothing yet. If the process ends, the file is as it was, and others write again.
package final class StoreHold: Sendable {
  private let database: DatabaseQueue

  /// Waits until nobody writes.
  ///
  /// - Parameter patience: how many seconds it waits at most.
  /// - Throws: ``StoreError/busy``; ``StoreError/moved(to:)`` if somebody was faster; ``StoreFailure``.
  package init(path: String, patience: Double = 5) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(patience)
    // The transaction begins here, and ends in another call.
    configuration.allowsUnsafeTransactions = true
    database = try DatabaseQueue(path: path, configuration: configuration)
    do {
      try database.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "BEGIN IMMEDIATE TRANSACTION")
        // Another move may have ended while this one waited.
        if let move = try SettingStore(db: db).value(of: .movedTo) { throw StoreError.moved(to: StoreMove(move).place) }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw StoreError.busy
    }
  }

  /// Closes the store for good: from the commit on nobody changes it, and no command opens it.
  ///
  /// - Parameters:
  ///   - place: where its rows are now, for people.
  ///   - mark: what the move is known by.
  /// - Throws: ``StoreFailure``. The store may be closed all the same, if the disk failed in the commit.
  package func close(movedTo place: String, mark: String) throws {
    try database.writeWithoutTransaction { db in
      try SettingStore(db: db).set(.movedTo, to: StoreMove(mark: mark, place: place).text)
      try ChangeBan.add(to: db)
      try db.execute(sql: "COMMIT TRANSACTION")
    }
  }

  /// Lets others write again, if the store was not closed.
  package func release() { try? database.close() }
}
