import ChildProcess
import UAFWire

/// A connection to the core, and the process behind it if this program started it.
struct CoreConnection: ~Copyable {
  let socket: PacketSocket
  private let helper: ChildProcess?

  init(_ socket: consuming PacketSocket, helper: ChildProcess? = nil) {
    self.socket = socket
    self.helper = helper
  }

  /// Closes the socket, which ends a started helper, and waits for its process.
  consuming func close() {
    let helper = helper
    _ = consume self
    helper?.reap()
  }
}
