/// A policy for the workstations of a group that is in force, or was.
package struct SavedMachinePolicy: Equatable, Sendable {
  /// The version that machines compare: higher than that of every policy before it, whatever the group.
  package let number: Int64
  /// The group of machines.
  package let group: String
  /// For how many seconds a machine may rely on it after it was signed.
  package let lifetime: Int64
  /// Seconds since 1970.
  package let savedAt: Int64
  /// As ``AuditActor/text`` has it.
  package let actor: String
  /// Why, in the words of whoever saved it.
  package let reason: String
  /// The policy in TOML, as it was given; empty for one that asks for nothing.
  package let text: String

  package init(
    number: Int64, group: String, lifetime: Int64, savedAt: Int64, actor: String, reason: String, text: String
  ) {
    self.number = number
    self.group = group
    self.lifetime = lifetime
    self.savedAt = savedAt
    self.actor = actor
    self.reason = reason
    self.text = text
  }
}
