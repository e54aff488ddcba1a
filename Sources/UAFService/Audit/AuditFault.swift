/// What does not hold in an audit; numbers are those of rows.
package enum AuditFault: Equatable, Sendable {
  /// The row is not as it was written, or stands in the place of another one.
  case changed(Int64)
  /// The row was put in.
  case inserted(Int64)
  /// The row and the one after it stand in each other's place.
  case exchanged(Int64)
  /// The rows are missing, or were taken out and the later ones renumbered.
  case removed(from: Int64, through: Int64)
  /// The rows fit each other, but the last of them is not the one that was signed: they were written anew.
  case rewritten(from: Int64, through: Int64)
  /// The audit ends before the rows that were signed.
  case cutOff(from: Int64, through: Int64)
  /// A signed head is missing.
  case headRemoved(Int64)
  /// None of the known keys has signed the stored head of this row, or it is the head of another one.
  case headNotSigned(Int64)
  /// There are rows, and no head was ever signed, or all were removed.
  case noHeads
  /// Rows were removed by a rule, up to this one, and no row says who did that.
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
      "\(Self.rows(from, through)) written anew: the head of row \(through) was signed for another row"
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
