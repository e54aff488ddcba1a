/// What a check of the whole audit has found.
package struct AuditSummary: Equatable, Sendable {
  /// The first thing that does not hold; nil if all holds.
  package var fault: AuditFault?
  /// How many rows hold.
  package var rows = 0
  /// The number of the last of them.
  package var last: Int64 = 0
  /// Up to which row they are covered by signed heads.
  package var signed: Int64 = 0
  /// Up to which row rows were removed by a rule; 0 if none were.
  package var removed: Int64 = 0
  /// The first row in which the server says that signed rows were gone or others; 0 if there is none.
  package var broken: Int64 = 0
  /// The times in which rows were unsigned for longer than ``AuditGap/bound``, by the rows of the server and by the times of rows
  /// and heads; the first ``mostGaps``.
  package var gaps: [AuditGap] = []

  /// How many gaps are named.
  package static let mostGaps = 100

  /// Adds a gap to those that were found, or to the one that it is a part of.
  mutating func add(_ gap: AuditGap) {
    if let index = gaps.lastIndex(where: { $0.merged(with: gap) != nil }), let both = gaps[index].merged(with: gap) {
      gaps[index] = both
    } else if gaps.count < Self.mostGaps {
      gaps.append(gap)
    }
  }
}
