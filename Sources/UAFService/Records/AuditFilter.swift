/// Which rows of the audit are asked for.
package struct AuditFilter: Equatable, Sendable {
  /// Rows with a higher number.
  package var after: Int64
  /// nil for each account, and so on.
  package var account: String?
  package var kind: AuditKind?
  package var outcome: String?
  /// The machine's name, or its id if it has none.
  package var machine: String?
  /// In any of a row's texts but kind and outcome; ASCII letters match in both sizes.
  package var words: String?
  /// The conditions that rows must not meet.
  package var negated: Set<AuditField> = []
  /// Seconds since 1970, this second included.
  package var since: Int64?
  /// Seconds since 1970, this second not included.
  package var until: Int64?

  /// Rows with a lower number; nil for all.
  package var before: Int64?
  package var isNewestFirst = false

  package init(
    after: Int64 = 0, account: String? = nil, kind: AuditKind? = nil, outcome: String? = nil, since: Int64? = nil,
    until: Int64? = nil, machine: String? = nil
  ) {
    self.after = after
    self.account = account
    self.kind = kind
    self.outcome = outcome
    self.since = since
    self.until = until
    self.machine = machine
  }

  /// The pattern of SQL's LIKE that finds some words anywhere in a text.
  ///
  /// - Parameter escape: the character before `%`, `_` and itself.
  package static func pattern(_ words: String, escape: Unicode.Scalar) -> String {
    // One by one: a Character may be `%` with an accent after it, which SQL takes for two.
    let escaped = words.unicodeScalars.reduce(into: "".unicodeScalars) { text, scalar in
      if ["%", "_", escape].contains(scalar) { text.append(escape) }
      text.append(scalar)
    }
    return "%\(String(escaped))%"
  }

  /// The fields that are asked for other values than most rows have, with that of most rows.
  ///
  /// Stores have an index of the rows that differ from most ones. A query that says it wants no others is answered by it.
  package var rareFields: [(AuditField, String)] {
    var fields: [(AuditField, String)] = []
    if let kind, kind != .login, !negated.contains(.kind) { fields.append((.kind, AuditKind.login.rawValue)) }
    if let outcome, outcome != AuditEntry.done, !negated.contains(.outcome) {
      fields.append((.outcome, AuditEntry.done))
    }
    return fields
  }
}
