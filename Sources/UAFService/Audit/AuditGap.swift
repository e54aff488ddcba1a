import UAFMessages

/// A time in which nothing was signed, though rows may have come.
///
/// Whoever could change the store in that time could write those rows anew, and nobody can tell.
package struct AuditGap: Equatable, Sendable {
  /// For how many seconds the end of the audit may be unsigned.
  ///
  /// It is signed every minute. A failover of PostgreSQL takes less than this, and clocks of servers differ by less.
  package static let bound: Int64 = 300

  /// The last row that was signed before.
  package let after: Int64
  /// The last row that was unsigned.
  package let through: Int64
  /// When it began and ended, in seconds since 1970.
  package let from: Int64
  package let until: Int64

  package init(after: Int64, through: Int64, from: Int64, until: Int64) {
    self.after = after
    self.through = through
    self.from = from
    self.until = until
  }

  /// How many seconds it took.
  package var seconds: Int64 { max(0, until - from) }

  /// The row of the audit that says it.
  ///
  /// - Parameter machine: the server that has found it.
  package func row(of machine: String, now: Int64) -> AuditEntry {
    let detail: JSONObject = ["after": .integer(after), "from": .integer(from), "until": .integer(until)]
    return AuditEntry(
      time: now, kind: .unsigned, outcome: "unsigned", actor: .server, machine: machine,
      detail: JSONValue.object(detail).text)
  }

  /// Reads such a row.
  ///
  /// - Returns: nil for a row of another kind or form.
  init?(_ row: AuditRow) {
    guard row.event.kind == .unsigned,
      case .object(let object)? = try? JSONValue(parsing: Array(row.event.detail.utf8)),
      case .integer(let after)? = object["after"], case .integer(let from)? = object["from"],
      case .integer(let until)? = object["until"]
    else { return nil }
    self.init(after: after, through: max(after, row.number - 1), from: from, until: until)
  }

  /// Both in one, if they begin after the same row.
  func merged(with other: AuditGap) -> AuditGap? {
    guard after == other.after else { return nil }
    return AuditGap(
      after: after, through: max(through, other.through), from: min(from, other.from), until: max(until, other.until))
  }
}

extension AuditGap: CustomStringConvertible {
  package var description: String {
    let rows =
      switch through - after {
      case ..<1: "after row \(after) nothing was signed"
      case 1: "row \(through) was unsigned"
      default: "rows \(after + 1) to \(through) were unsigned"
      }
    return "\(rows) for \(seconds) s: whoever could change the store in that time could write rows anew"
  }
}
