import UAFService

/// One account in a list.
package struct AccountRow: Equatable, Sendable {
  package let summary: AccountSummary
  /// The name of its group; nil for everybody else.
  package let group: String?

  package init(summary: AccountSummary, group: String?) {
    self.summary = summary
    self.group = group
  }
}
