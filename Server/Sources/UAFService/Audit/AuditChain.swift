import UAFCrypto
import UAFMessages

/// Checks that the rows of the audit form one chain, and that the chain is the one that the server signed; finds the first
/// fault.
///
/// The caller passes the rows and the heads in the order of their numbers, and each head after the row that it signs.
package struct AuditChain {
  /// The row that was checked last.
  package private(set) var last: AuditLink
  /// The row before ``last``.
  private var before: AuditLink
  /// The row whose signed head was checked last.
  private var signed: Int64
  /// The head that was checked last.
  private var lastHead: Int64
  /// The row up to which a rule has removed rows.
  private let floor: Int64

  /// Begins a chain.
  ///
  /// - Parameter removal: the signed head that replaces removed rows.
  package init(after removal: AuditHead? = nil) {
    last = removal?.link ?? .start
    before = last
    floor = last.number
    signed = floor
    lastHead = floor
  }

  /// The number of the row that the last checked head of the store signs.
  package var headNumber: Int64 { lastHead }

  /// The row up to which signed heads cover the rows.
  package var signedNumber: Int64 { signed }

  /// Checks the next row.
  ///
  /// - Parameter next: the row after `row`, if there is one; if `row` does not fit, `next` shows what happened to it.
  /// - Throws: ``CryptoError``.
  package mutating func check(_ row: AuditRow, next: AuditRow?) throws -> AuditFault? {
    let expected = last.number + 1
    guard row.number >= expected else { return .inserted(row.number) }
    guard row.number == expected else { return .removed(from: expected, through: row.number - 1) }
    if try last.next(row.event.body) == row.link {
      (before, last) = (last, row.link)
      return nil
    }
    return try reason(row, next)
  }

  /// Finds out why a row does not fit.
  ///
  /// If somebody renumbered rows, their hashes are still those of the old numbers.
  private func reason(_ row: AuditRow, _ next: AuditRow?) throws -> AuditFault {
    // The row fits directly after `before`, so the row between them, `last`, was inserted.
    if last.number > floor, try before.next(row.event.body).hash == row.link.hash { return .inserted(last.number) }
    if let next {
      // The next row fits directly after `last`.
      let fitting = try last.next(next.event.body)
      if fitting.hash == next.link.hash {
        let isOlder = try fitting.next(row.event.body).hash == row.link.hash
        return isOlder ? .exchanged(row.number) : .inserted(row.number)
      }
      // The next row fits directly after this one if this one has a number that is higher by one.
      let moved = AuditLink(number: row.number + 1, hash: row.link.hash)
      if try moved.next(next.event.body).hash == next.link.hash {
        return .removed(from: row.number, through: row.number)
      }
    }
    return .changed(row.number)
  }

  /// Checks a stored head.
  ///
  /// The row that it signs was checked last, or is missing.
  package mutating func check(_ head: AuditHead) -> AuditFault? {
    if head.previous != lastHead, head.previous > floor { return .headRemoved(head.previous) }
    lastHead = head.link.number
    return compare(with: head)
  }

  /// Checks a head that was kept outside the store.
  ///
  /// The row that it signs was checked last, or is missing.
  package mutating func compare(with head: AuditHead) -> AuditFault? {
    let number = head.link.number
    guard number <= last.number else { return .cutOff(from: last.number + 1, through: number) }
    guard head.link == last else { return .rewritten(from: min(signed + 1, number), through: number) }
    signed = number
    return nil
  }
}

/// A fault of an audit; the numbers are those of rows.
package enum AuditFault: Equatable, Sendable {
  /// The row was changed, or a different row has its number.
  case changed(Int64)
  /// The row was inserted.
  case inserted(Int64)
  /// The row and the one after it were exchanged.
  case exchanged(Int64)
  /// The rows are missing, or were removed and the later ones renumbered.
  case removed(from: Int64, through: Int64)
  /// The rows form a chain, but the last of them is not the row that was signed: somebody has rewritten them.
  case rewritten(from: Int64, through: Int64)
  /// Signed rows at the end of the audit are missing.
  case cutOff(from: Int64, through: Int64)
  /// A signed head is missing.
  case headRemoved(Int64)
  /// The head of this row is not signed by a known key, or it is the head of a different row.
  case headNotSigned(Int64)
  /// There are rows, and no head was ever signed, or all were removed.
  case noHeads
  /// The rows up to this one were removed in the regular way, but no row of the audit says who removed them.
  case removalNotRecorded(Int64)
}

extension AuditFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .changed(let number): "row \(number) was changed"
    case .inserted(let number): "row \(number) was inserted"
    case .exchanged(let number): "rows \(number) and \(number + 1) were exchanged"
    case .removed(let from, let through): "\(Self.rows(from, through)) removed"
    case .rewritten(let from, let through):
      "\(Self.rows(from, through)) rewritten: the head of row \(through) was signed for a different row"
    case .cutOff(let from, let through): "\(Self.rows(from, through)) cut off at the end: they were signed"
    case .headRemoved(let number): "the signed head of row \(number) was removed"
    case .headNotSigned(let number): "the head of row \(number) was not signed by a key of this server"
    case .noHeads: "no head is signed: all were removed, or the server has never served this store"
    case .removalNotRecorded(let number): "the rows up to \(number) were removed, and no row says by whom"
    }
  }

  private static func rows(_ from: Int64, _ through: Int64) -> String {
    from == through ? "row \(from) was" : "rows \(from) to \(through) were"
  }
}

/// A period in which the server signed nothing, although rows may have been added.
///
/// Whoever could change the store in that period could have rewritten those rows, and nobody would notice.
package struct AuditGap: Equatable, Sendable {
  /// For how many seconds the end of the audit may be unsigned.
  ///
  /// The server signs it every minute. A failover of PostgreSQL takes less time than this limit, and the servers' clocks differ
  /// by less.
  package static let bound: Int64 = 300

  /// The last row that was signed before the gap.
  package let after: Int64
  /// The last unsigned row.
  package let through: Int64
  /// When the gap began and ended, in seconds since 1970.
  package let from: Int64
  package let until: Int64

  package init(after: Int64, through: Int64, from: Int64, until: Int64) {
    self.after = after
    self.through = through
    self.from = from
    self.until = until
  }

  /// How many seconds it lasted.
  package var seconds: Int64 { max(0, until - from) }

  /// Makes the row of the audit that records the gap.
  ///
  /// - Parameter machine: the server that found it.
  package func row(of machine: String, now: Int64) -> AuditEntry {
    let detail: JSONObject = ["after": .integer(after), "from": .integer(from), "until": .integer(until)]
    return AuditEntry(
      time: now, kind: .unsigned, outcome: "unsigned", actor: .server, machine: machine,
      detail: JSONValue.object(detail).text)
  }

  /// Reads the gap that a row of the audit records.
  ///
  /// - Returns: nil for a row of a different kind or form.
  init?(_ row: AuditRow) {
    guard row.event.kind == .unsigned,
      case .object(let object)? = try? JSONValue(parsing: Array(row.event.detail.utf8)),
      case .integer(let after)? = object["after"], case .integer(let from)? = object["from"],
      case .integer(let until)? = object["until"]
    else { return nil }
    self.init(after: after, through: max(after, row.number - 1), from: from, until: until)
  }

  /// The two gaps as one, if they begin after the same row.
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
    return "\(rows) for \(seconds) s: anybody who could change the store in that time could rewrite these rows"
  }
}
