import UAFMessages

/// The outcome of a `/uaf/respond`.
package enum ResponseOutcome: Sendable {
  /// The verdict's token, and the machine's new secret if it gets one; for the log the account, its keys, and whether the machine
  /// kept an earlier name; and the lost keys that were deleted for the new ones.
  case accepted(
    token: Token, machineSecret: MachineSecret?, operation: UAFOperation, username: String, keys: [AcceptedKey],
    ignoresDeviceName: Bool, forgotten: [KeyID])
  /// The reason and the account; and the key's stored counter, if the answer's counter did not grow.
  case refused(ServiceRefusal, username: String?, seen: SeenCounter? = nil)
}
