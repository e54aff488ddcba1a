import FidoResults
import Foundation
import Glibc
import SQLiteStore
import UAFMessages
import UAFService

/// Moves the store of a state folder into a PostgreSQL database, or abandons such a move, so that the old store is used again.
///
/// The two stores are never usable at the same time. The copy contains the id of the move, and so cannot be used, until the old
/// store is closed. The old store is closed only after the copy was read again and compared.
struct StoreMigration {
  /// The prefix of the move's id in a database while the move to it is being abandoned.
  private static let abandoned = "abandoned "

  let directory: ServerDirectory
  let target: any ServerStore
  /// Hosts and database, for people.
  let place: String
  /// Seconds since 1970.
  let now: Int64

  // MARK: Moving

  /// Copies all rows, compares them, closes the old store, and makes the new one usable.
  ///
  /// - Parameter mark: the id of this move.
  /// - Returns: the number of rows.
  /// - Throws: ``ServerError/unfinishedMove(_:)``; any other ``ServerError`` means that nothing was changed.
  func run(mark: String) async throws -> Int64 {
    let source = try directory.openStore()
    let hold = try directory.holdStore()
    defer { hold.release() }
    var standing = MoveFailure.Standing.untouched
    do {
      let file = try UnnamedFile(in: directory.path)
      let copied = try await StoreExport(store: source, kind: "sqlite", now: now).write(to: file.descriptor)
      let header = try StoreImport.check(file.descriptor, path: directory.path)
      standing = .copying
      let moving = StoreImport(store: target, descriptor: file.descriptor, path: directory.path, mark: mark)
      let rows = try await moving.run(header, entry: entry(["rows": .integer(copied.rows)]), now: now) {
        let found = try await StoreExport(store: target, kind: "sqlite", now: now).write(to: nil)
        guard found == copied else { throw ExportFault.otherRows }
        standing = .closed
        try hold.close(movedTo: place, mark: mark)
        try removeSecret()
      }
      return rows
    } catch ExportFault.storeNotEmpty {
      throw ServerError.unfinishedMove(
        MoveFailure(reason: "the database of --to has a store that is not empty", standing: .untouched))
    } catch {
      throw Self.failure(error, standing)
    }
  }

  /// Completes a move that was interrupted after it had closed the old store.
  ///
  /// - Parameter mark: the move's id in the old store.
  /// - Returns: whether anything was left to do.
  func resume(mark: String) async throws -> Bool {
    let marks = try await target.read { records in
      (try records.settings.value(of: .unfinishedImport), try records.settings.value(of: .importedAs))
    }
    if marks.0 == nil, marks.1 == mark { return false }
    guard marks.0 == mark else { throw otherDatabase(marks.0 == Self.abandoned + mark) }
    do {
      try removeSecret()
      try await ImportEnd(store: target, mark: mark).run(counts: nil, entry: entry([:]), now: now)
    } catch {
      throw Self.failure(error, .closed)
    }
    return true
  }

  // MARK: Undoing the move

  /// Empties the new store, and makes the old one usable again, in the state in which it was closed.
  ///
  /// - Throws: ``ServerError/unfinishedMove(_:)``; any other ``ServerError`` means that nothing was changed.
  func abandon(_ source: SQLiteStore, mark: String) async throws {
    let isOther = try await target.write { records in
      let unfinished = try records.settings.value(of: .unfinishedImport)
      let imported = try records.settings.value(of: .importedAs)
      guard unfinished == mark || unfinished == Self.abandoned + mark || (unfinished == nil && imported == mark) else {
        return true
      }
      try records.settings.set(.unfinishedImport, to: Self.abandoned + mark)
      try records.contents.removeAll()
      return false
    }
    guard !isOther else { throw otherDatabase(false) }
    do {
      try removeSecret()
      let event = ServerEvents.command(.moveAbandoned, detail: ["from": .string(place)], now: now)
      try await source.takeBack { [now] records in
        try records.enrolments.closeAll()
        try records.approvals.closeAll()
        try records.joinCodes.closeAll()
        try records.openRegistrations.removeAll()
        try records.consoleSessions.removeAll()
        try records.settings.set(.restoredAt, to: String(now))
        try records.audit.append([event])
      }
    } catch {
      throw Self.failure(error, .closed)
    }
  }

  // MARK: Parts

  /// Removes `server.secret`, so that answers to earlier requests are refused: one store does not know what was used in the
  /// other.
  private func removeSecret() throws {
    try StateLock.wait(for: directory) { try directory.dropSecret() }
  }

  private func entry(_ detail: JSONObject) -> AuditEntry {
    ServerEvents.command(.storeMove, detail: detail, now: now)
  }

  private func otherDatabase(_ isAbandoned: Bool) -> ServerError {
    .unusableStore(
      isAbandoned
        ? "the move to this database is being abandoned: finish that with --abandon"
        : "server.db was not moved to this database: with --to name the database to which it was moved")
  }

  private static func failure(_ error: any Error, _ standing: MoveFailure.Standing) -> ServerError {
    let reason = (error as? any StoreFailure)?.text ?? "\(error)"
    return .unfinishedMove(MoveFailure(reason: reason, standing: standing))
  }
}

/// A temporary file without a name, which disappears when the process ends, even if it is killed.
final class UnnamedFile {
  let descriptor: CInt

  /// Creates the file on the file system of a folder.
  ///
  /// - Throws: ``ServerError/unusableDirectory(path:reason:)``.
  init(in folder: String) throws(ServerError) {
    // SAFETY: the string lives for the call.
    descriptor = unsafe open(folder, __O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      // SAFETY: strerror's text is copied immediately.
      let text = unsafe String(cString: strerror(errno))
      throw .unusableDirectory(path: folder, reason: "cannot take a copy of the store: \(text)")
    }
  }

  deinit { close(descriptor) }
}
