/// The workstation policies that machines are given when they check in.
package protocol MachinePolicies: Sendable {
  /// Another number than before says that a policy has changed; nil where there are none.
  ///
  /// Each login's answer names it, so it must be known without a wait.
  var news: Int64? { get }

  /// Learns whether a policy has changed since the last time.
  ///
  /// - Throws: ``StoreFailure``.
  func renew() async throws

  /// The policy for a machine; nil if there is none for it.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``. The machine is then told to come back later.
  func policy(for machine: JoinedMachine) async throws -> MachinePolicy?
}

/// No machine is given a policy.
package struct NoMachinePolicies: MachinePolicies {
  package init() {}

  package var news: Int64? { nil }

  package func renew() async throws {}

  package func policy(for machine: JoinedMachine) async throws -> MachinePolicy? { nil }
}
