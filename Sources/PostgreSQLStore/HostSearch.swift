import Synchronization

/// Connects to the first host that can keep what it is given, beginning with the one that could last.
///
/// libpq alone would stay with the first host that says it is the primary. After a failover that may be the old one, which
/// nobody leads any more.
final class HostSearch: Sendable {
  private let address: PostgreSQLAddress
  private let now: @Sendable () -> ContinuousClock.Instant
  private let last = Mutex(0)

  init(_ address: PostgreSQLAddress, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.address = address
    self.now = now
  }

  /// Connects, and looks what the server is like.
  ///
  /// - Throws: ``PostgreSQLRefusal`` if a host can be reached and not be used; ``PostgreSQLError/unreachable(message:)`` with the
  ///   words of each host.
  func find() throws -> (Connection, ConnectionCheck) {
    let start = last.withLock { $0 }
    var refusal: PostgreSQLRefusal?
    var messages: [String] = []
    for number in (0..<address.hosts).map({ (start + $0) % address.hosts }) {
      do {
        let found = try use(number)
        last.withLock { $0 = number }
        return found
      } catch let error as PostgreSQLRefusal {
        refusal = refusal ?? error
      } catch PostgreSQLError.unreachable(let message) {
        messages.append(message)
      } catch let error as PostgreSQLError {
        messages.append(error.text)
      }
    }
    if let refusal { throw refusal }
    throw PostgreSQLError.unreachable(message: messages.joined(separator: "; "))
  }

  /// Connects to a server that was found fit before.
  ///
  /// - Throws: ``PostgreSQLError/unreachable(message:)``, also for a server that is not fit any more.
  func connect() throws -> Connection {
    do {
      return try find().0
    } catch let refusal as PostgreSQLRefusal {
      throw PostgreSQLError.unreachable(message: refusal.description)
    }
  }

  private func use(_ number: Int) throws -> (Connection, ConnectionCheck) {
    let connection = try Connection(to: address, host: number, now: now)
    connection.setDeadline(now() + .seconds(5))
    let check = try ConnectionCheck(connection)
    try check.requireDurability()
    if address.hosts > 1 { try check.requireStandby() }
    return (connection, check)
  }
}
