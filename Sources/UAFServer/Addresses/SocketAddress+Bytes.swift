import NIOCore

extension SocketAddress {
  /// The bytes of an IP address: 4, or 16; nil for a Unix socket.
  ///
  /// An IPv4 address that came as IPv6 (`::ffff:192.0.2.1`) is an IPv4 address.
  var ipBytes: [UInt8]? {
    switch self {
    case .v4(let v4):
      // SAFETY: four bytes of a number.
      return unsafe withUnsafeBytes(of: v4.address.sin_addr) { unsafe Array($0) }
    case .v6(let v6):
      // SAFETY: sixteen bytes of a number.
      let bytes = unsafe withUnsafeBytes(of: v6.address.sin6_addr) { unsafe Array($0) }
      return bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]) ? Array(bytes[12...]) : bytes
    case .unixDomainSocket: return nil
    }
  }

  /// Whether this is an address that a machine has for itself alone.
  var isLoopback: Bool {
    guard let bytes = ipBytes else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
  }
}
