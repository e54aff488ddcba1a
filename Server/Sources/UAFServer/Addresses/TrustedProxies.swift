import ArgumentParser
import NIOCore
import NIOHTTP1

/// The address that a request comes from if there are proxies in front of the server.
///
/// Only the proxies that the administrator has named are believed, and whoever may connect to the server's Unix socket. What
/// anybody else writes into the header is ignored.
struct TrustedProxies: Sendable {
  let ranges: [AddressRange]
  let header: ForwardedHeader

  init(_ ranges: [AddressRange] = [], header: ForwardedHeader = .xForwardedFor) {
    self.ranges = ranges
    self.header = header
  }

  /// Whether a connection comes from a proxy, and so from many people.
  func contains(_ address: SocketAddress?) -> Bool {
    switch address {
    case nil: return false
    case .unixDomainSocket: return true
    case let address?: return address.ipBytes.map { bytes in ranges.contains { $0.contains(bytes) } } ?? false
    }
  }

  /// The address that a request comes from: the last one on its way that is not a trusted proxy.
  ///
  /// If a proxy names no address, or an unreadable one, the proxy's own address is used. So it is if the proxy names a loopback
  /// address: that one belongs to the proxy's machine.
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
  /// - Returns: nil also for a range of every address, and for address bits beyond `BITS`: whoever writes 10.0.0.7/8 means
  ///   either one address or a network.
  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      let bytes = (try? SocketAddress(ipAddress: String(parts[0]), port: 0))?.ipBytes,
      // An IPv4 address within IPv6 counts as IPv4, so its bits would be counted from a different place.
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
  /// - Parameter address: the bytes, as in ``NIOCore/SocketAddress/ipBytes``.
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

/// The header in which proxies state for whom they ask.
///
/// The server reads only one of them. A proxy that writes one passes the other on as a stranger sent it.
enum ForwardedHeader: String, CaseIterable, Sendable, ExpressibleByArgument {
  case xForwardedFor = "x-forwarded-for"
  /// RFC 7239.
  case forwarded

  /// The hops that the header names, the last one first; nil for one that is not an IP address.
  ///
  /// The last hop was written by the proxy nearest to the server, and the first by anybody. So the text is read from its end,
  /// and what a stranger wrote before cannot change how the end is read.
  func hops(in headers: HTTPHeaders) -> some Sequence<SocketAddress?> {
    headers[rawValue].reversed().lazy.flatMap { Self.parts(of: $0) }.map { self.address(in: $0) }
  }

  /// The parts of a line between commas, the last one first.
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

  /// Reads `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`, each except the second also with a port.
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
    // The C library would accept a zone (fe80::1%eth0), which has no meaning on this machine.
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
