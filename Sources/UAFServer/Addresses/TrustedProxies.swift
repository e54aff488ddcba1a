import NIOCore
import NIOHTTP1

/// From which address a request is, where proxies stand before the server.
///
/// Only proxies that the administrator has named are believed, and whoever may connect to the server's Unix socket. What anybody
/// else writes into the header is ignored.
struct TrustedProxies: Sendable {
  let ranges: [AddressRange]
  let header: ForwardedHeader

  init(_ ranges: [AddressRange] = [], header: ForwardedHeader = .xForwardedFor) {
    self.ranges = ranges
    self.header = header
  }

  /// Whether a connection is one of a proxy, and so of many people.
  func contains(_ address: SocketAddress?) -> Bool {
    switch address {
    case nil: return false
    case .unixDomainSocket: return true
    case let address?: return address.ipBytes.map { bytes in ranges.contains { $0.contains(bytes) } } ?? false
    }
  }

  /// The address that a request is from: the last one on its way that is no trusted proxy.
  ///
  /// Where a proxy names no address, or one that cannot be read, its own counts. So it does where the proxy names a loopback
  /// address: that is one of the proxy's machine.
  ///
  /// - Parameters:
  ///   - peer: the other end of the connection.
  ///   - fields: the request's headers.
  func client(of fields: HTTPHeaders, from peer: SocketAddress?) -> SocketAddress? {
    guard contains(peer) else { return peer }
    var client = peer
    for hop in header.hops(in: fields) {
      guard let hop, !hop.isLoopback else { return client }
      client = hop
      guard contains(hop) else { break }
    }
    return client
  }
}
