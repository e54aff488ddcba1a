import Synchronization

/// From which addresses an answer for which account was accepted since the server was started; kept in memory only.
///
/// A person who has logged in from an address can do so again while others flood the server from there.
final class ProvenPlaces: Sendable {
  private struct Pair: Hashable {
    let address: String
    let account: String
  }

  private let capacity: Int
  private let pairs = Mutex<Set<Pair>>([])

  /// Makes an empty list; when it has `capacity` pairs, it is emptied, so that it stays small.
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
