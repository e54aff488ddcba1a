import ArgumentParser
import NIOCore

/// `ADDRESS` or `ADDRESS/BITS`: the IP addresses that begin with the same bits.
struct AddressRange: Equatable, Sendable, ExpressibleByArgument {
  private let first: [UInt8]
  private let bits: Int

  /// Reads a range.
  ///
  /// - Returns: nil also for a range of every address, and for bits of the address beyond `BITS`: who writes 10.0.0.7/8 means
  ///   either one address or a network.
  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      let bytes = (try? SocketAddress(ipAddress: String(parts[0]), port: 0))?.ipBytes,
      // An IPv4 address within IPv6 counts as IPv4, so its bits would be counted from elsewhere.
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
  /// - Parameter address: as ``NIOCore/SocketAddress/ipBytes`` has it.
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
