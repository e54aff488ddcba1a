import Synchronization

/// From which addresses the server has lately accepted an answer for which accounts.
///
/// In memory alone: nobody else's flood keeps out who has logged in there since the server was started.
final class ProvenPlaces: Sendable {
  private struct Pair: Hashable {
    let address: String
    let account: String
  }

  private let capacity: Int
  private let pairs = Mutex<Set<Pair>>([])

  /// Makes an empty memory; beyond `capacity` pairs it forgets all of them, so that it stays small.
  init(capacity: Int = 100_000) {
    self.capacity = capacity
  }

  func add(_ account: String, at address: String) {
    pairs.withLock { pairs in
      if pairs.count >= capacity { pairs.removeAll() }
      pairs.insert(Pair(address: address, account: account))
    }
  }

  func contains(_ account: String, at address: String) -> Bool {
    pairs.withLock { $0.contains(Pair(address: address, account: account)) }
  }
}
