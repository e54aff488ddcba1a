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
}
