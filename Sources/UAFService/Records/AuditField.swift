/// What rows of the audit are looked for by, beside numbers and times.
package enum AuditField: String, CaseIterable, Sendable {
  case account
  case kind
  case outcome
  case machine
  case words
}
