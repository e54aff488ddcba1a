import Synchronization
import UAFMessages

/// Counts the refusals that have no row of their own: one row a minute says how many there were.
///
/// Strangers cause them as often as they like, so memory and disk have a bound.
package final class RefusalCount: Sendable {
  /// How many addresses are remembered; those that come later are counted together.
  private static let mostAddresses = 32

  private struct State {
    var count: Int64 = 0
    var reasons: [String: Int64] = [:]
    var addresses: [String: Int64] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Counts one.
  ///
  /// - Parameters:
  ///   - reason: one of a fixed number of words.
  ///   - address: where it came from; empty if that is not known.
  package func add(_ reason: String, from address: String) {
    state.withLock { state in
      state.count += 1
      state.reasons[reason, default: 0] += 1
      guard !address.isEmpty else { return }
      let isKnown = state.addresses[address] != nil || state.addresses.count < Self.mostAddresses
      state.addresses[isKnown ? address : "others", default: 0] += 1
    }
  }

  /// The row that says how many there were since the last one; nil if there were none.
  ///
  /// - Parameter now: seconds since 1970.
  package func take(now: Int64) -> AuditEntry? {
    let counted = state.withLock { state in
      defer { state = State() }
      return state
    }
    guard counted.count > 0 else { return nil }
    let detail: JSONObject = [
      "count": .integer(counted.count), "reasons": Self.json(counted.reasons),
      "addresses": Self.json(counted.addresses),
    ]
    return AuditEntry(
      time: now, kind: .refusals, outcome: "refused", actor: .server, detail: JSONValue.object(detail).text)
  }

  /// The most frequent ones first.
  private static func json(_ counts: [String: Int64]) -> JSONValue {
    var object = JSONObject()
    for (name, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      object.set(name, .integer(count))
    }
    return .object(object)
  }
}
