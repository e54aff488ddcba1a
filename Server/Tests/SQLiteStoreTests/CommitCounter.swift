import GRDB
import Synchronization

/// Counts the commits of a database.
final class CommitCounter: TransactionObserver, Sendable {
  private let commits = Mutex(0)

  var count: Int { commits.withLock { $0 } }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { commits.withLock { $0 += 1 } }
  func databaseDidRollback(_ db: Database) {}
}
