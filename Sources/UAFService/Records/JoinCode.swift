/// A join code that was issued: for which machines, by whom, and how many have joined with it; never the code.
package struct JoinCode: Equatable, Sendable {
  /// What can be done with a code.
  package enum State: String, CaseIterable, Sendable {
    /// A further machine can join with it.
    case open
    case usedUp
    case expired
    case closed
  }

  package let number: Int64
  /// The group of machines that join with it.
  package let group: String
  /// How many machines may join with it.
  package let machines: Int
  /// How many have; a machine that has left keeps its place.
  package let used: Int
  /// As the audit names them.
  package let issuedBy: String
  /// Seconds since 1970, and so is the other.
  package let issuedAt: Int64
  package let expiresAt: Int64
  /// Whether somebody has closed it.
  package let isClosed: Bool

  package init(
    number: Int64, group: String, machines: Int, used: Int, issuedBy: String, issuedAt: Int64, expiresAt: Int64,
    isClosed: Bool
  ) {
    self.number = number
    self.group = group
    self.machines = machines
    self.used = used
    self.issuedBy = issuedBy
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.isClosed = isClosed
  }

  /// Its state at a time, in seconds since 1970.
  package func state(at now: Int64) -> State {
    if isClosed { return .closed }
    if now >= expiresAt { return .expired }
    return used < machines ? .open : .usedUp
  }
}
