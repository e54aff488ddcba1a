import UAFWire

/// What is done while the person types, once something else has arrived.
struct Arrival {
  /// Waits for it or for a packet of the front end; returns whether it came, and the front end has sent nothing.
  typealias Comparison = (borrowing PacketSocket, _ timeoutMilliseconds: Int32) throws(PacketSocketError) -> Bool

  let comesFirst: Comparison
  /// Waits for nothing, because the person's entry waits meanwhile.
  let work: () -> Void
}
