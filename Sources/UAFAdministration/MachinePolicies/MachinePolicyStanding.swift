import UAFService

/// A saved policy for the machines of a group, and how it stands.
package struct MachinePolicyStanding: Equatable, Sendable {
  package let policy: SavedMachinePolicy
  /// Whether none was saved for the group after it.
  package let isInForce: Bool
  /// How many machines are in the group now.
  package let machines: Int
}
