import GRDB
import Synchronization
import UAFService

/// Commits the verified answers of several callers together.
///
/// A durable commit waits for the disk, whether it holds one answer or 64. While one commit is under way, further answers
/// wait, and the next commit takes them all. So the disk's speed limits the time of an answer, not the number of answers.
final class AnswerWriter: Sendable {
  /// The most answers of one commit, about 2 ms of work.
  static let mostTogether = 64
  /// The most used challenges that are forgotten at once, about 10 ms of work.
  private static let mostForgotten = 4096

  private struct Waiting {
    let answer: VerifiedAnswer
    let caller: CheckedContinuation<AnswerOutcome, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var isWriting = false
    /// When expired challenges were last forgotten, in seconds since 1970.
    var forgotAt: Int64 = 0
  }

  private let database: any DatabaseWriter
  private let state = Mutex(State())

  /// Makes a writer for a database whose tables are in their current form.
  init(_ database: any DatabaseWriter) {
    self.database = database
  }

  /// How many answers wait for the next commit.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Stores an answer; returns when it is durable.
  ///
  /// A cancelled caller waits too: an answer that is being committed cannot be taken back.
  ///
  /// - Throws: SQLite's errors. Then nothing of this answer is stored, unless the disk failed while it was flushed.
  func store(_ answer: VerifiedAnswer) async throws -> AnswerOutcome {
    try await withCheckedThrowingContinuation { caller in
      let mustStart = state.withLock { state in
        state.waiting.append(Waiting(answer: answer, caller: caller))
        defer { state.isWriting = true }
        return !state.isWriting
      }
      if mustStart { writeNext() }
    }
  }

  /// Queued anew for each batch, so that other writers of this process get their turn.
  private func writeNext() {
    database.asyncWriteWithoutTransaction { [self] db in
      let batch = state.withLock { state in
        let batch = Array(state.waiting.prefix(Self.mostTogether))
        state.waiting.removeFirst(batch.count)
        return batch
      }
      write(batch, db)
      if let now = batch.last?.answer.now { forget(now, db) }
      let mustGoOn = state.withLock { state in
        state.isWriting = !state.waiting.isEmpty
        return state.isWriting
      }
      if mustGoOn { writeNext() }
    }
  }

  private func write(_ batch: [Waiting], _ db: Database) {
    do {
      let outcomes = try commit(batch, db)
      for (waiting, outcome) in zip(batch, outcomes) { waiting.caller.resume(returning: outcome) }
    } catch  where batch.count == 1 {
      batch.first?.caller.resume(throwing: error)
    } catch {
      // One of them may be at fault: each is tried alone.
      for waiting in batch { write([waiting], db) }
    }
  }

  private func commit(_ batch: [Waiting], _ db: Database) throws -> [AnswerOutcome] {
    var outcomes: [AnswerOutcome] = []
    try db.inTransaction(.immediate) {
      outcomes = try batch.map { try AnswerStore(db: db).store($0.answer) }
      return .commit
    }
    return outcomes
  }

  /// Forgets expired challenges, at most once a second, after the callers have got their outcome.
  private func forget(_ now: Int64, _ db: Database) {
    let isDue = state.withLock { state in
      defer { state.forgotAt = now }
      return now != state.forgotAt
    }
    guard isDue else { return }
    // If it fails, the next second tries again; the answers were stored before.
    try? db.inTransaction(.immediate) {
      try UsedChallengeStore(db: db).forget(expiredAt: now, most: Self.mostForgotten)
      return .commit
    }
  }
}
