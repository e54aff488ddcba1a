import Synchronization

/// Groups the verified answers of several callers into batches, each for one commit.
///
/// A durable commit waits for the disk, whether it holds one answer or 64. While the writers are at work, further answers
/// wait, and the next commit takes them all. So the disk's speed limits the time of an answer, not the number of answers.
package final class AnswerQueue: Sendable {
  /// The most answers of one commit, about 2 ms of work.
  package static let mostTogether = 64

  private struct Waiting {
    let answer: VerifiedAnswer
    let caller: CheckedContinuation<AnswerOutcome, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var writers = 0
    /// When expired challenges were last forgotten, in seconds since 1970.
    var forgotAt: Int64 = 0
  }

  private let mostWriters: Int
  private let state = Mutex(State())

  /// Makes a queue.
  ///
  /// - Parameter mostWriters: how many commits may be under way at once.
  package init(mostWriters: Int) {
    self.mostWriters = mostWriters
  }

  /// How many answers wait for the next commit.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Stores an answer; returns when it is durable.
  ///
  /// A cancelled caller waits too: an answer that is being committed cannot be taken back.
  ///
  /// - Parameter start: starts a writer, which calls ``writeBatch(_:)`` until that returns false.
  /// - Throws: what the commit threw.
  package func store(_ answer: VerifiedAnswer, start: @Sendable () -> Void) async throws -> AnswerOutcome {
    try await withCheckedThrowingContinuation { caller in
      let mustStart = state.withLock { state in
        state.waiting.append(Waiting(answer: answer, caller: caller))
        guard state.writers < mostWriters else { return false }
        state.writers += 1
        return true
      }
      if mustStart { start() }
    }
  }

  /// Writes the answers that wait, at most 64 of them, and tells their callers.
  ///
  /// - Parameter commit: returns what became of each answer, in their order.
  /// - Returns: whether further answers wait for this writer.
  package func writeBatch(_ commit: ([VerifiedAnswer]) -> [Result<AnswerOutcome, any Error>]) -> Bool {
    let batch = state.withLock { state in
      let batch = Array(state.waiting.prefix(Self.mostTogether))
      state.waiting.removeFirst(batch.count)
      return batch
    }
    if !batch.isEmpty {
      for (waiting, outcome) in zip(batch, commit(batch.map(\.answer))) { waiting.caller.resume(with: outcome) }
    }
    return state.withLock { state in
      guard state.waiting.isEmpty else { return true }
      state.writers -= 1
      return false
    }
  }

  /// Whether expired challenges should be forgotten: once in a second at most.
  ///
  /// - Parameter now: seconds since 1970.
  package func mustForget(at now: Int64) -> Bool {
    state.withLock { state in
      defer { state.forgotAt = now }
      return now != state.forgotAt
    }
  }

  /// Commits answers together, and each alone if that fails: one of them may be at fault.
  ///
  /// - Parameters:
  ///   - isUndone: whether an error of `commit` says that nothing was stored. Of other errors it is not known, so nothing is
  ///     tried again.
  ///   - commit: stores all of them or, if it throws, none.
  package static func outcomes(
    of answers: [VerifiedAnswer], isUndone: (any Error) -> Bool = { _ in true },
    commit: ([VerifiedAnswer]) throws -> [AnswerOutcome]
  ) -> [Result<AnswerOutcome, any Error>] {
    do {
      return try commit(answers).map { .success($0) }
    } catch  where answers.count == 1 || !isUndone(error) {
      return answers.map { _ in .failure(error) }
    } catch {
      return answers.flatMap { outcomes(of: [$0], isUndone: isUndone, commit: commit) }
    }
  }
}
