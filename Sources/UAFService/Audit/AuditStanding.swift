import Synchronization
import UAFMessages

/// For how long the end of the audit has been unsigned, as this process knows it.
///
/// It asks nobody: a store that hangs, fails or drops what is written to it cannot make the time look shorter.
package final class AuditStanding: Sendable {
  private let state = Mutex<SignedMoment?>(nil)

  /// Makes one that nobody keeps up: it says that the audit is signed.
  package init() {}

  /// The last moment at which the whole audit was signed; nil if nobody keeps that up.
  package var moment: SignedMoment? { state.withLock { $0 } }

  /// Notes that the whole audit was signed.
  package func note(_ moment: SignedMoment) { state.withLock { $0 = moment } }

  /// For how many seconds it is not known that the audit is signed to its end.
  ///
  /// A clock that was set back begins that time anew: otherwise it would stand still until the clock is where it was.
  ///
  /// - Parameter now: seconds since 1970.
  package func unsignedSeconds(at now: Int64) -> Int64 {
    state.withLock { state in
      guard let moment = state else { return 0 }
      if moment.time > now { state = SignedMoment(link: moment.link, time: now) }
      return max(0, now - moment.time)
    }
  }

  /// Whether the audit has been unsigned for longer than ``AuditGap/bound``.
  ///
  /// - Parameter now: seconds since 1970.
  package func isOverdue(at now: Int64) -> Bool { unsignedSeconds(at: now) > AuditGap.bound }
}

/// When a server last knew that the whole audit was signed.
///
/// It is kept outside the store, so that whoever can change the store cannot shorten a gap.
package struct SignedMoment: Equatable, Sendable {
  /// The row that was signed last.
  package let link: AuditLink
  /// Seconds since 1970.
  package let time: Int64
  /// Whether the server stopped then as it was told to.
  package let isStopped: Bool

  package init(link: AuditLink, time: Int64, isStopped: Bool = false) {
    self.link = link
    self.time = time
    self.isStopped = isStopped
  }

  /// As a file has it.
  package var json: JSONValue {
    .object([
      "number": .integer(link.number), "hash": .string(Base64URL.encode(link.hash)), "time": .integer(time),
      "stopped": .bool(isStopped),
    ])
  }

  /// Reads what a file has; nil for anything else.
  package init?(_ bytes: [UInt8]) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes), case .integer(let number)? = object["number"],
      case .string(let text)? = object["hash"], let hash = try? Base64URL.decode(text, maximumCount: 32),
      hash.count == 32, case .integer(let time)? = object["time"], case .bool(let isStopped)? = object["stopped"]
    else { return nil }
    self.init(link: AuditLink(number: number, hash: hash), time: time, isStopped: isStopped)
  }
}
