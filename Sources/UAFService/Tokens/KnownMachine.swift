import UAFMessages

/// A machine that has proved that this server gave it a secret: for an account, or because it has joined.
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
  /// Whether it has the secret of a machine that has joined: it may name any account, and is known for none.
  package let isJoined: Bool
}
