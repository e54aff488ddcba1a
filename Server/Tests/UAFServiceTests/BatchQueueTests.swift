import Synchronization
import Testing

@testable import ServerTesting
@testable import UAFService

/// When a batch begins while a different one runs.
struct BatchQueueTests {
  /// Counts what a queue has requested.
  private final class Asked: Sendable {
    let workers = Atomic(0)
    let sleeps = Atomic(0)
    /// How many of the requested sleeps may end.
    let wakings = Atomic(0)
  }

  private let clock = StoppedClock()
  private let asked = Asked()

  private func queue(mostWorkers: Int = 2) -> BatchQueue<Int, Int> {
    BatchQueue(mostWorkers: mostWorkers, now: { [clock] in clock.now }) { [asked] _ in
      let number = asked.sleeps.add(1, ordering: .relaxed).newValue
      while asked.wakings.load(ordering: .relaxed) < number { await Task.yield() }
    }
  }

  private func add(_ item: Int, to queue: BatchQueue<Int, Int>) -> Task<Int, any Error> {
    Task { [asked] in try await queue.add(item) { _ = asked.workers.add(1, ordering: .relaxed) } }
  }

  private func wait(until isTrue: () -> Bool) async { while !isTrue() { await Task.yield() } }

  private func waitForWorkers(_ count: Int) async { await wait { asked.workers.load(ordering: .relaxed) == count } }

  private func waitForSleeps(_ count: Int) async { await wait { asked.sleeps.load(ordering: .relaxed) == count } }

  /// Adds the first item, and returns while its batch is running.
  private func heldBatch(of queue: BatchQueue<Int, Int>) async -> (Task<Int, any Error>, HeldBatch) {
    let first = add(1, to: queue)
    await waitForWorkers(1)
    return (first, await HeldBatch(of: queue))
  }

  /// Processes the waiting items, as a worker does; returns whether the worker is needed again.
  private func work(on queue: BatchQueue<Int, Int>) -> Bool {
    queue.workBatch { items in items.map { .success($0) } }
  }

  @Test func `a second batch begins in parallel with a slow one, even if no further item arrives`() async throws {
    let queue = queue()
    let (first, held) = await heldBatch(of: queue)
    let second = add(2, to: queue)
    await waitForSleeps(1)
    #expect(queue.waitingCount == 1 && asked.workers.load(ordering: .relaxed) == 1)
    clock.advance(.milliseconds(20))
    asked.wakings.add(1, ordering: .relaxed)
    await waitForWorkers(2)
    #expect(!work(on: queue))
    #expect(try await second.value == 2)
    await held.finish()
    #expect(try await first.value == 1)
  }

  @Test func `while a batch is slow, every item that arrives starts a further batch immediately`() async throws {
    let queue = queue()
    let (first, held) = await heldBatch(of: queue)
    clock.advance(.milliseconds(20))
    // Several times: the end of a parallel batch does not count as the end of the first one, which is still slow.
    for number in 2...4 {
      let other = add(number, to: queue)
      await waitForWorkers(number)
      #expect(!work(on: queue))
      #expect(try await other.value == number)
    }
    #expect(asked.sleeps.load(ordering: .relaxed) == 0)
    await held.finish()
    #expect(try await first.value == 1)
  }

  @Test func `while each batch is quick no second one begins, and the queue keeps checking for a slow one`()
    async throws
  {
    let queue = queue()
    let (first, held) = await heldBatch(of: queue)
    let second = add(2, to: queue)
    await waitForSleeps(1)
    await held.finish()
    #expect(try await first.value == 1)
    clock.advance(.milliseconds(20))
    let next = await HeldBatch(of: queue)
    let third = add(3, to: queue)
    await wait { queue.waitingCount == 1 }
    asked.wakings.add(1, ordering: .relaxed)
    await waitForSleeps(2)
    #expect(asked.workers.load(ordering: .relaxed) == 1)
    await next.finish()
    #expect(try await second.value == 2)
    #expect(!work(on: queue))
    #expect(try await third.value == 3)
    asked.wakings.add(1, ordering: .relaxed)
    #expect(asked.workers.load(ordering: .relaxed) == 1)
  }

  @Test func `no check for a slow batch is scheduled if no second batch may begin`() async throws {
    let queue = queue(mostWorkers: 1)
    let (first, held) = await heldBatch(of: queue)
    clock.advance(.seconds(1))
    let second = add(2, to: queue)
    await wait { queue.waitingCount == 1 }
    await held.finish()
    #expect(try await first.value == 1)
    #expect(!work(on: queue))
    #expect(try await second.value == 2)
    #expect(asked.workers.load(ordering: .relaxed) == 1 && asked.sleeps.load(ordering: .relaxed) == 0)
  }
}
