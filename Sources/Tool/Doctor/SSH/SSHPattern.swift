import Glibc

/// The patterns of sshd's lists and Match blocks (ssh_config(5), PATTERNS; sshd_config(5)).
enum SSHPattern {
  /// Addresses of different networks: a pattern that fits all of them is treated as one that fits every address.
  private static let addresses = [
    "10.1.2.3", "127.0.0.1", "172.20.30.40", "192.168.7.77", "203.0.113.200", "224.0.0.9",
  ]

  /// Whether patterns of users match a name; nil if an address decides.
  static func lists(_ patterns: [String], _ name: String) -> Bool? {
    var found: Bool? = false
    for pattern in patterns {
      let (user, host) = parts(of: pattern)
      guard fits(name, user) else { continue }
      switch host.map(fitsAddresses) ?? true {
      case true?: return true
      case false?: continue
      case nil: found = nil
      }
    }
    return found
  }

  /// Whether a pattern matches everybody, from any host.
  static func fitsEverybody(_ pattern: String) -> Bool {
    let (user, host) = parts(of: pattern)
    return fitsAll(user) && host.map(fitsAddresses) ?? true == true
  }

  /// The pattern for the user, and the one for the host if there is one.
  private static func parts(of pattern: String) -> (user: String, host: String?) {
    let parts = pattern.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
  }

  /// Whether the words of a criterion of Match fit every connection.
  ///
  /// `Group *` fits everybody who has a group. A host or an address that is excepted is not looked at.
  ///
  /// - Parameter ports: the ports at which sshd listens.
  static func fitsEverything(_ list: String, of criterion: String, ports: [String]) -> Bool {
    let patterns = list.split(separator: ",").map(String.init)
    let named = patterns.filter { !$0.hasPrefix("!") }
    switch criterion {
    case "user", "group": return named == patterns && named.contains(where: fitsAll)
    case "host": return named.contains(where: fitsAll)
    case "localport": return named == patterns && ports.allSatisfy { port in named.contains { fits(port, $0) } }
    case "address", "localaddress": return fitsAddresses(named.joined(separator: ",")) == true
    default: return false
    }
  }

  /// Whether a list of patterns for a host fits every address, or none; nil if it depends on the address or on the host's name.
  private static func fitsAddresses(_ list: String) -> Bool? {
    let patterns = list.split(separator: ",").map(String.init)
    func fits(_ address: String) -> Bool {
      func isIn(_ pattern: String) -> Bool { Self.isIn(address, pattern) ?? Self.fits(address, pattern) }
      let refused = patterns.filter { $0.hasPrefix("!") }.contains { isIn(String($0.dropFirst())) }
      return !refused && patterns.contains { !$0.hasPrefix("!") && isIn($0) }
    }
    let found = addresses.map(fits)
    if !found.contains(false) { return true }
    // A pattern that excludes every address accepts none.
    let excludesAll = addresses.allSatisfy { address in
      patterns.contains {
        $0.hasPrefix("!") && (isIn(address, String($0.dropFirst())) ?? Self.fits(address, String($0.dropFirst())))
      }
    }
    return excludesAll ? false : nil
  }

  /// Whether an address is in a network (`192.0.2.0/24`); nil if the pattern is no network.
  private static func isIn(_ address: String, _ pattern: String) -> Bool? {
    let parts = pattern.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let length = UInt32(parts[1]), length <= 32, let network = number(String(parts[0])),
      let own = number(address)
    else { return pattern.contains("/") ? false : nil }
    let mask: UInt32 = length == 0 ? 0 : ~UInt32(0) << (32 - length)
    return network & mask == own & mask
  }

  /// The number of an IPv4 address; nil for any other text.
  private static func number(_ text: String) -> UInt32? {
    var bytes = in_addr()
    // SAFETY: an in_addr is what this family writes.
    guard unsafe inet_pton(AF_INET, text, &bytes) == 1 else { return nil }
    return UInt32(bigEndian: bytes.s_addr)
  }

  /// Whether a pattern matches every name; no name is empty.
  static func fitsAll(_ pattern: String) -> Bool {
    pattern.contains("*") && pattern.allSatisfy { "*?".contains($0) } && pattern.count(where: { $0 == "?" }) < 2
  }

  /// Whether a pattern matches a name.
  ///
  /// In lists of users and groups each word is one pattern: `!a,*`, which Match would split, is a name there.
  static func fits(_ name: String, _ pattern: String) -> Bool {
    // The lengths of the name's beginnings that match the beginning of the pattern.
    let letters = Array(name)
    var ends: Set<Int> = [0]
    for part in pattern {
      switch part {
      case "*": ends = ends.min().map { Set($0...letters.count) } ?? []
      default: ends = Set(ends.filter { $0 < letters.count && (part == "?" || letters[$0] == part) }.map { $0 + 1 })
      }
    }
    return ends.contains(letters.count)
  }
}
