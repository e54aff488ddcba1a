/// A policy that is in force, or was.
package struct PolicyVersion: Equatable, Sendable {
  /// From 1 on; the highest number is in force.
  package let number: Int64
  /// Seconds since 1970.
  package let savedAt: Int64
  /// As ``AuditActor/text`` has it.
  package let actor: String
  /// Why, in the words of whoever saved it.
  package let reason: String
  /// The policy in JSON, as it was given.
  package let text: String

  package init(number: Int64, savedAt: Int64, actor: String, reason: String, text: String) {
    self.number = number
    self.savedAt = savedAt
    self.actor = actor
    self.reason = reason
    self.text = text
  }
}
