import Foundation
import Synchronization

@testable import UAFService

/// A batch on its own thread, which runs until it is told to end.
final class HeldBatch: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let isBegun = Atomic(false)
  private let isEnded = Atomic(false)

  init(of queue: BatchQueue<Int, Int>) async {
    Thread.detachNewThread { [self] in
      _ = queue.workBatch { items in
        isBegun.store(true, ordering: .releasing)
        end.wait()
        return items.map { .success($0) }
      }
      isEnded.store(true, ordering: .releasing)
    }
    while !isBegun.load(ordering: .acquiring) { await Task.yield() }
  }

  /// Ends the batch, and returns once its worker knows whether more items wait.
  func finish() async {
    end.signal()
    while !isEnded.load(ordering: .acquiring) { await Task.yield() }
  }
}
