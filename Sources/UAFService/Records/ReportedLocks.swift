import UAFMessages

/// The locks that stand on a machine, as it has reported them.
package struct ReportedLocks: Equatable, Sendable {
  /// Up to ``MachineReport/mostLocks`` of them.
  package let named: [ReportedLock]
  /// How many more there are.
  package let more: Int

  package init(_ named: [ReportedLock] = [], more: Int = 0) {
    self.named = named
    self.more = more
  }

  /// As the store keeps them: a JSON object.
  package var text: String { json.text }

  /// The same as JSON.
  package var json: JSONValue {
    .object(["named": .array(named.map(\.json)), "more": .integer(Int64(more))])
  }

  /// Reads what the store has; none for a text that is not of that form.
  package init(text: String) {
    guard case .object(let object)? = try? JSONValue(parsing: Array(text.utf8)),
      case .array(let locks)? = object["named"]
    else {
      self.init()
      return
    }
    let more: Int64 = if case .integer(let number)? = object["more"] { number } else { 0 }
    self.init(locks.compactMap { try? ReportedLock(json: $0, path: "locks") }, more: Int(clamping: max(more, 0)))
  }
}
