import Foundation
import Synchronization

@testable import UAFService

/// A batch on a thread of its own, which is under way until it is told to end.
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

  /// Ends it, and returns when its worker knows whether more waits.
  func finish() async {
    end.signal()
    while !isEnded.load(ordering: .acquiring) { await Task.yield() }
  }
}
