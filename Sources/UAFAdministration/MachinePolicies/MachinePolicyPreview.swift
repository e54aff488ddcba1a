/// What another policy for the machines of a group would change.
package struct MachinePolicyPreview: Equatable, Sendable {
  /// A key whose value would be another one.
  package struct Change: Equatable, Sendable {
    package let key: String
    /// As one line; nil where the policy in force does not have the key.
    package let before: String?
    /// The same of the draft.
    package let after: String?

    package init(key: String, before: String?, after: String?) {
      self.key = key
      self.before = before
      self.after = after
    }
  }

  /// How many machines are in the group now.
  package let machines: Int
  /// The number of the policy in force; nil if none was saved for the group.
  package let present: Int64?
  /// What would be others, in the order of the draft, then what would be gone.
  package let changes: [Change]

  package init(machines: Int, present: Int64?, changes: [Change]) {
    self.machines = machines
    self.present = present
    self.changes = changes
  }
}
