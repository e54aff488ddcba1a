/// How far a sink of the audit has come, and which instance sends to it.
///
/// A sink is a program elsewhere that gets each row. One instance at a time sends; it holds the place for some seconds, and
/// holds it again while it sends. The instances' clocks decide. If they differ by more, two may send the same rows.
package struct AuditDelivery: Equatable, Sendable {
  /// For how many seconds an instance holds a place.
  package static let hold: Int64 = 60

  package let sink: String
  /// The number of the last row that the sink has got; 0 for none.
  package private(set) var delivered: Int64
  /// The instance that sends.
  package private(set) var holder: String
  /// Until when it holds the place, in seconds since 1970.
  package private(set) var heldUntil: Int64

  /// The place of a sink that has got nothing and that nobody holds, or as it is stored.
  package init(sink: String, delivered: Int64 = 0, holder: String = "", heldUntil: Int64 = 0) {
    self.sink = sink
    self.delivered = delivered
    self.holder = holder
    self.heldUntil = heldUntil
  }

  /// Whether an instance holds the place for at least half of the time that it may.
  ///
  /// - Parameter now: seconds since 1970.
  package func isHeld(by instance: String, now: Int64) -> Bool {
    holder == instance && heldUntil - now >= Self.hold / 2
  }

  /// Gives the place to an instance, unless another one holds it.
  ///
  /// - Returns: whether the instance has it now.
  package mutating func take(by instance: String, now: Int64) -> Bool {
    // A clock that was set back must not keep the place for longer than it may be held.
    guard holder == instance || heldUntil <= now || heldUntil > now + Self.hold * 2 else { return false }
    holder = instance
    heldUntil = now + Self.hold
    return true
  }

  /// Notes that the sink has got the rows up to a number.
  ///
  /// A place goes back only where rows were cut off: see ``goBack(to:)``.
  ///
  /// - Returns: false if another instance has taken the place meanwhile: it sends the rows again.
  package mutating func record(through number: Int64, by instance: String) -> Bool {
    guard holder == instance else { return false }
    delivered = max(delivered, number)
    return true
  }

  /// Notes that the rows after a number are not those any more that the sink has got: they are sent, also under numbers that it
  /// knows.
  ///
  /// - Returns: false if the sink has got none of them.
  package mutating func goBack(to number: Int64) -> Bool {
    guard delivered > number else { return false }
    delivered = number
    return true
  }
}
