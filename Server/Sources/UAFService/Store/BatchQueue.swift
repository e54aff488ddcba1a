import Synchronization

/// Groups what several callers ask a store for into batches, each for one commit or one statement.
///
/// A durable commit waits for the disk, whether it holds one answer or 64. While the workers are busy, further callers wait, and
/// the next batch takes them all. So the store's speed limits the time of a caller, not the number of callers.
package final class BatchQueue<Item: Sendable, Outcome: Sendable>: Sendable {
  private struct Waiting {
    let item: Item
    let caller: CheckedContinuation<Outcome, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var workers = 0
    /// When the batches under way began.
    var starts: [ContinuousClock.Instant] = []
    /// Whether somebody looks after a while whether a batch still keeps others waiting.
    var isWatched = false
  }

  private enum Step { case nothing, startWorker, watch }

  /// The most items of a batch: 64 verified answers are about 2 ms of work.
  private let mostTogether = 64
  /// For how long a batch may be under way before another begins beside it.
  ///
  /// Earlier, the two would share the work and double its cost. Later, a batch that waits for a lock would hold up everybody.
  private let patience = Duration.milliseconds(20)

  private let mostWorkers: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async -> Void
  private let state = Mutex(State())

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mostWorkers: how many batches may be under way at once.
  ///   - now: a clock that runs while the machine does.
  ///   - sleep: returns after a while.
  package init(
    mostWorkers: Int, now: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    self.mostWorkers = mostWorkers
    self.now = now
    self.sleep = sleep
  }

  /// How many items wait for the next batch.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Adds an item; returns when its batch is done.
  ///
  /// A cancelled caller waits too: an answer that is being committed cannot be taken back.
  ///
  /// - Parameter start: starts a worker, which calls ``workBatch(_:)`` until that returns false.
  /// - Throws: what the batch threw for this item.
  package func add(_ item: Item, start: @escaping @Sendable () -> Void) async throws -> Outcome {
    try await withCheckedThrowingContinuation { caller in
      let step = state.withLock { state in
        state.waiting.append(Waiting(item: item, caller: caller))
        return nextStep(&state)
      }
      take(step, start)
    }
  }

  /// What has to be done for those who wait.
  private func nextStep(_ state: inout State) -> Step {
    guard state.workers < mostWorkers, !state.waiting.isEmpty else { return .nothing }
    let isStuck = state.starts.min().map { now() - $0 >= patience } ?? false
    if state.workers == 0 || isStuck {
      state.workers += 1
      return .startWorker
    }
    guard !state.isWatched else { return .nothing }
    state.isWatched = true
    return .watch
  }

  private func take(_ step: Step, _ start: @escaping @Sendable () -> Void) {
    switch step {
    case .nothing: break
    case .startWorker: start()
    case .watch: watch(start)
    }
  }

  /// Starts another worker if a batch takes too long: perhaps nobody comes any more who would see that.
  private func watch(_ start: @escaping @Sendable () -> Void) {
    Task {
      await sleep(patience)
      let step = state.withLock { state in
        state.isWatched = false
        return nextStep(&state)
      }
      take(step, start)
    }
  }

  /// Does what waits, up to the most of one batch, and tells the callers.
  ///
  /// - Parameter work: returns what became of each item, in their order.
  /// - Returns: whether further items wait for this worker.
  package func workBatch(_ work: ([Item]) -> [Result<Outcome, any Error>]) -> Bool {
    let start = now()
    let batch = state.withLock { state in
      state.starts.append(start)
      let batch = Array(state.waiting.prefix(mostTogether))
      state.waiting.removeFirst(batch.count)
      return batch
    }
    if !batch.isEmpty {
      for (waiting, outcome) in zip(batch, work(batch.map(\.item))) { waiting.caller.resume(with: outcome) }
    }
    return state.withLock { state in
      if let place = state.starts.firstIndex(of: start) { state.starts.remove(at: place) }
      guard state.waiting.isEmpty else { return true }
      state.workers -= 1
      return false
    }
  }

  /// Does items together, and each alone if that fails: one of them may be at fault.
  ///
  /// - Parameters:
  ///   - isUndone: whether an error of `together` says that nothing was stored. Of other errors it is not known, so nothing is
  ///     tried again.
  ///   - together: does all of them or, if it throws, none; returns what became of each.
  package static func outcomes(
    of items: [Item], isUndone: (any Error) -> Bool = { _ in true },
    together: ([Item]) throws -> [Result<Outcome, any Error>]
  ) -> [Result<Outcome, any Error>] {
    do {
      return try together(items)
    } catch  where items.count == 1 || !isUndone(error) {
      return items.map { _ in .failure(error) }
    } catch {
      return items.flatMap { outcomes(of: [$0], isUndone: isUndone, together: together) }
    }
  }
}

/// Says when something is due that is done once in a second at most, beside other work.
package final class OncePerSecond: Sendable {
  /// When it was last due, in seconds since 1970.
  private let last = Mutex(Int64(0))

  package init() {}

  /// Whether it is due, for the first caller in a second.
  ///
  /// - Parameter now: seconds since 1970.
  package func isDue(at now: Int64) -> Bool {
    last.withLock { last in
      defer { last = now }
      return now != last
    }
  }
}
