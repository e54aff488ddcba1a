import ArgumentParser
import NIOCore
import NIOHTTP1

/// Finds the address that a request comes from if there are proxies in front of the server.
///
/// The header is believed only if it comes from a proxy that the administrator has named, or through the server's Unix socket.
/// What anybody else writes into it is ignored.
struct TrustedProxies: Sendable {
  let ranges: [AddressRange]
  let header: ForwardedHeader

  init(_ ranges: [AddressRange] = [], header: ForwardedHeader = .xForwardedFor) {
    self.ranges = ranges
    self.header = header
  }

  /// Whether a connection comes from a proxy, and so may carry the requests of many people.
  func contains(_ address: SocketAddress?) -> Bool {
    switch address {
    case nil: return false
    case .unixDomainSocket: return true
    case let address?: return address.ipBytes.map { bytes in ranges.contains { $0.contains(bytes) } } ?? false
    }
  }

  /// The address that a request comes from: the last one on its way that is not a trusted proxy.
  ///
  /// If a proxy names no address, one that cannot be read, or a loopback address, the proxy's own address is used: a loopback
  /// address would be that of the proxy's machine.
  ///
  /// - Parameters:
  ///   - peer: the other end of the connection.
  ///   - headers: the headers of the request.
  func client(of headers: HTTPHeaders, from peer: SocketAddress?) -> SocketAddress? {
    guard contains(peer) else { return peer }
    var client = peer
    for hop in header.hops(in: headers) {
      guard let hop, !hop.isLoopback else { return client }
      client = hop
      guard contains(hop) else { break }
    }
    return client
  }
}

/// `ADDRESS` or `ADDRESS/BITS`: the IP addresses that begin with the same bits.
struct AddressRange: Equatable, Sendable, ExpressibleByArgument {
  private let first: [UInt8]
  private let bits: Int

  /// Reads a range.
  ///
  /// - Returns: nil also for a range of all addresses, and if bits beyond `BITS` are set: it is unclear whether 10.0.0.7/8
  ///   means one address or a network.
  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      let bytes = (try? SocketAddress(ipAddress: String(parts[0]), port: 0))?.ipBytes,
      // An IPv4-mapped IPv6 address counts as IPv4, so `BITS` would not mean what was written.
      (bytes.count == 16) == parts[0].contains(":")
    else { return nil }
    let all = bytes.count * 8
    guard let bits = parts.count == 1 ? all : Int(parts[1]), (1...all).contains(bits) else { return nil }
    first = bytes
    self.bits = bits
    guard Self.masked(bytes, bits) == bytes else { return nil }
  }

  /// Whether an address is in the range.
  ///
  /// - Parameter address: its bytes, as ``NIOCore/SocketAddress/ipBytes`` returns them.
  func contains(_ address: [UInt8]) -> Bool {
    address.count == first.count && Self.masked(address, bits) == first
  }

  private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
    bytes.enumerated().map { index, byte in
      let kept = min(8, max(0, bits - index * 8))
      return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
    }
  }
}

/// The header in which proxies say which client a request comes from.
///
/// The server reads only the configured one. A proxy that writes one of these headers passes the other one on unchanged, and a
/// stranger may have sent it.
enum ForwardedHeader: String, CaseIterable, Sendable, ExpressibleByArgument {
  case xForwardedFor = "x-forwarded-for"
  /// RFC 7239.
  case forwarded

  /// The hops that the header names, the last one first; nil for one that is not an IP address.
  ///
  /// The proxy nearest to the server wrote the last hop, but anybody can have written the first. So the text is parsed from its
  /// end: what a stranger wrote at the beginning cannot change how the end is parsed.
  func hops(in headers: HTTPHeaders) -> some Sequence<SocketAddress?> {
    headers[rawValue].reversed().lazy.flatMap { Self.parts(of: $0) }.map { self.address(in: $0) }
  }

  /// The parts of a line that are separated by commas, the last one first.
  private static func parts(of line: String) -> [Substring] {
    var parts: [Substring] = []
    var end = line.utf8.endIndex
    var isQuoted = false
    for index in line.utf8.indices.reversed() {
      switch line.utf8[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        parts.append(line[line.utf8.index(after: index)..<end])
        end = index
      default: break
      }
    }
    parts.append(line[..<end])
    return parts
  }

  private func address(in part: Substring) -> SocketAddress? {
    switch self {
    case .xForwardedFor: return Self.address(Self.trimmed(part))
    case .forwarded:
      let pairs = part.split(separator: ";").map(Self.trimmed).filter { $0.lowercased().hasPrefix("for=") }
      guard pairs.count == 1, let pair = pairs.first else { return nil }
      let value = pair.dropFirst(4)
      let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
      return Self.address(isQuoted ? value.dropFirst().dropLast() : value)
    }
  }

  /// Reads `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`; the first and the last may have a port.
  private static func address(_ text: Substring) -> SocketAddress? {
    var host = text
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      guard host.contains(":") else { return nil }
    } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
      guard isPort(text[colon...]) else { return nil }
      host = text[..<colon]
    }
    // The C library would accept a zone (fe80::1%eth0), but another machine's zone means nothing here.
    return host.contains("%") ? nil : try? SocketAddress(ipAddress: String(host), port: 0)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.hasPrefix(":") && UInt16(text.dropFirst()) != nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isSpace = { (letter: Character) in letter == " " || letter == "\t" }
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }
}

extension SocketAddress {
  /// The bytes of an IP address: 4, or 16; nil for a Unix socket.
  ///
  /// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) counts as IPv4.
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

  /// Whether this is a loopback address.
  var isLoopback: Bool {
    guard let bytes = ipBytes else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
  }
}
