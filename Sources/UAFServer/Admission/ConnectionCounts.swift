import NIOCore
import Synchronization

/// How many connections each address has open; not more names than the server has connections.
final class ConnectionCounts: Sendable {
  /// Connections of one address at once, unless the administrator says otherwise: an eighth of all that are served.
  static let standardMaximum = 128

  private let maximum: Int
  private let counts = Mutex<[String: Int]>([:])

  /// Makes counts of `maximum` connections for an address; 0 is no limit.
  init(maximum: Int = standardMaximum) {
    self.maximum = maximum
  }

  /// Counts one more connection of an address.
  ///
  /// - Returns: false, and nothing is counted, if it has as many as it may have.
  func open(_ name: String) -> Bool {
    counts.withLock { counts in
      let count = counts[name] ?? 0
      guard maximum == 0 || count < maximum else { return false }
      counts[name] = count + 1
      return true
    }
  }

  /// Counts one connection less.
  func close(_ name: String) {
    counts.withLock { counts in
      guard let count = counts[name] else { return }
      counts[name] = count > 1 ? count - 1 : nil
    }
  }

  /// How many names are remembered.
  var names: Int { counts.withLock { $0.count } }
}
