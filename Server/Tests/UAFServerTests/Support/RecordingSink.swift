import Synchronization
import UAFService

@testable import UAFServer

/// A sink that keeps what it receives, or fails, as the test says.
final class RecordingSink: RowSink {
  private struct State {
    var portions: [[Int64]] = []
    var failure: SinkFailure?
  }

  let name = "test"
  private let state = Mutex(State())

  /// The numbers of the rows that arrived, one group for each delivery.
  var portions: [[Int64]] { state.withLock { $0.portions } }
  var numbers: [Int64] { portions.flatMap { $0 } }

  func fails(_ failure: SinkFailure?) { state.withLock { $0.failure = failure } }

  func send(_ rows: [AuditRow]) async throws(SinkFailure) {
    let failure = state.withLock { state in
      if state.failure == nil { state.portions.append(rows.map(\.number)) }
      return state.failure
    }
    if let failure { throw failure }
  }

  func close() async {}
}
