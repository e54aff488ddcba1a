import Glibc

/// Why a packet could not be sent or received.
public enum PacketSocketError: Error, Equatable, Sendable {
  /// The descriptor is not a socket of packets.
  case notASocket
  /// No connection; the system's error number.
  case notConnected(CInt)
  /// The peer's user id cannot be told.
  case noPeer
  /// Nothing within the time.
  case timedOut
  /// The other end is gone.
  case closed
  /// What came is not a packet.
  case malformed(PacketError)
}

extension PacketSocketError: CustomStringConvertible {
  /// What failed.
  public var description: String {
    switch self {
    case .notASocket: "not a packet socket: this program is started by pam_uaf.so, systemd or uafctl, not by hand"
    // SAFETY: strerror returns a NUL-terminated text for every number.
    case .notConnected(let number): "cannot connect: \(unsafe String(cString: strerror(number)))"
    case .noPeer: "the peer's user id cannot be told"
    case .timedOut: "no message within the time"
    case .closed: "the other end is gone"
    case .malformed(let error): "malformed packet: \(error)"
    }
  }
}
