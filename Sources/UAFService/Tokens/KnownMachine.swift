import UAFMessages

/// A machine that has proved that this server gave it a secret for an account.
package struct KnownMachine: Sendable {
  /// The request that it has proved to be its own.
  package let claim: MachineClaim
  /// For whom it asks.
  package let queue: MachineQueue
  /// Its number at this server.
  package let machineID: [UInt8]
  /// The random bytes of its proof: an answer that names them answers this request, and no other.
  let nonce: [UInt8]
  /// Whether its secret is the one that it would be given today.
  package let isCurrent: Bool
}
