import UAFMessages

/// A policy for the machines of a group, as somebody wants to save it.
package struct MachinePolicyDraft: Equatable, Sendable {
  /// The name of the group.
  package let group: String
  /// The policy in TOML; empty for one that asks for nothing.
  package let text: String
  /// For how many seconds a machine may rely on it after it was signed; nil for 90 days.
  package let lifetime: Int64?

  /// The lifetime in seconds, also where it was left out.
  package var seconds: Int64 { lifetime ?? WorkstationPolicy.standardLifetime }

  /// A lifetime in days; nil for one that is not whole days.
  package static func days(of seconds: Int64) -> Int64? { seconds.isMultiple(of: 86_400) ? seconds / 86_400 : nil }

  package init(group: String, text: String, lifetime: Int64? = nil) {
    self.group = group
    self.text = text
    self.lifetime = lifetime
  }
}
