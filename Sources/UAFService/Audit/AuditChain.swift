import UAFCrypto

/// Checks that rows follow each other, and that they are those that were signed; finds the first that does not hold.
///
/// It gets rows and heads in the order of their numbers, a head after the row that it signs, and reads nothing.
package struct AuditChain {
  /// The row that was checked last.
  package private(set) var last: AuditLink
  /// The one before it.
  private var before: AuditLink
  /// The row whose signed head was checked last.
  private var signed: Int64
  /// The head that was checked last.
  private var lastHead: Int64
  /// Up to which row a rule has removed rows.
  private let floor: Int64

  /// Begins a chain.
  ///
  /// - Parameter removal: the signed head that stands for removed rows.
  package init(after removal: AuditHead? = nil) {
    last = removal?.link ?? .start
    before = last
    floor = last.number
    signed = floor
    lastHead = floor
  }

  /// The row of the store's head that was checked last.
  package var headNumber: Int64 { lastHead }

  /// Up to which row a signed head covers the rows.
  package var signedNumber: Int64 { signed }

  /// Checks the next row.
  ///
  /// - Parameter next: the row after it, if there is one; it tells what happened to a row that does not fit.
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

  /// Why a row does not fit.
  ///
  /// Rows that were renumbered still have the hash of their own number.
  private func reason(_ row: AuditRow, _ next: AuditRow?) throws -> AuditFault {
    // It fits in the place of the row before, so that one was put in.
    if last.number > floor, try before.next(row.event.body).hash == row.link.hash { return .inserted(last.number) }
    if let next {
      // The row after it fits in its place.
      let fitting = try last.next(next.event.body)
      if fitting.hash == next.link.hash {
        let isOlder = try fitting.next(row.event.body).hash == row.link.hash
        return isOlder ? .exchanged(row.number) : .inserted(row.number)
      }
      // The row after it fits one place later.
      let moved = AuditLink(number: row.number + 1, hash: row.link.hash)
      if try moved.next(next.event.body).hash == next.link.hash {
        return .removed(from: row.number, through: row.number)
      }
    }
    return .changed(row.number)
  }

  /// Checks a stored head of the row that was checked last, or of one that is not there.
  package mutating func check(_ head: AuditHead) -> AuditFault? {
    if head.previous != lastHead, head.previous > floor { return .headRemoved(head.previous) }
    lastHead = head.link.number
    return compare(with: head)
  }

  /// Checks a head of the row that was checked last, or of one that is not there; it was kept elsewhere.
  package mutating func compare(with head: AuditHead) -> AuditFault? {
    let number = head.link.number
    guard number <= last.number else { return .cutOff(from: last.number + 1, through: number) }
    guard head.link == last else { return .rewritten(from: min(signed + 1, number), through: number) }
    signed = number
    return nil
  }
}
