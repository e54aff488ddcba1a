import Glibc

/// Where an attempt comes from.
///
/// It is so coarse that an attacker cannot claim a different source for each attempt.
public enum AttemptSource: Equatable, Sendable {
  /// The account that called su or sudo, by uid.
  case caller(UInt32)
  /// An IPv4 address.
  case address([UInt8])
  /// The first 64 bits of an IPv6 address: one customer usually has all addresses in it.
  case network([UInt8])
  /// The last two labels of a host's name: the owner of a domain can invent any labels before them.
  case domain([UInt8])

  /// The source that a host with root privileges names in PAM_RHOST.
  ///
  /// - Parameter remoteHost: the content of PAM_RHOST: usually an address or a host name, but it can be any text.
  public init(remoteHost: [UInt8]) {
    let text = String(decoding: remoteHost.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
    if let address = Self.bytes(of: text, AF_INET, count: 4) {
      self = .address(address)
    } else if let address = Self.bytes(of: text, AF_INET6, count: 16) {
      // An IPv4 address in IPv6 notation, ::ffff:192.0.2.1.
      let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[10...11].allSatisfy { $0 == 0xff }
      self = isMapped ? .address(Array(address.suffix(4))) : .network(Array(address.prefix(8)))
    } else {
      let lower = remoteHost.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
      let labels = lower.split(separator: UInt8(ascii: "."))
      self = .domain(Array(labels.suffix(2).joined(separator: [UInt8(ascii: ".")])))
    }
  }

  private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    // SAFETY: the text lives for the call, and an address has at most 16 bytes.
    return unsafe inet_pton(family, text, &bytes) == 1 ? Array(bytes.prefix(count)) : nil
  }

  /// How many derivations of one source may run at the same time if the machine has `count` slots.
  ///
  /// A remote source may use half of the slots for remote logins, which is enough for a gateway that many people share. The
  /// other half stays free for others even if the source tries many invented names.
  func turns(slots count: Int) -> Int {
    if case .caller = self { return 1 }
    return max(1, (count - DerivationClaim.remoteHost.rawValue) / 2)
  }
}
