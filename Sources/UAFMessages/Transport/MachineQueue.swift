/// For whom a machine asks.
///
/// Each has a budget of its own at the server, so that others cannot use up the person's by calling at the same machine.
public enum MachineQueue: UInt8, CaseIterable, Sendable {
  /// For the person, at the machine.
  case own
  /// For somebody who comes over the network.
  case remote
  /// For another user of the machine, who names the account.
  case otherUser
}
