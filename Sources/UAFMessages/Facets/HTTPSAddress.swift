/// The parts of an https URL that decide about trust.
///
///     address = "https://" host [":" port] [("/" / "?" / "#") *VCHAR]
///
/// Stricter than RFC 3986: no user information, no percent-encoding in the host, no characters outside ASCII, no empty
/// label, numeric addresses only with four parts. A text that two URL parsers could split differently is not an address
/// here. If root allows it, `http` to this machine is an address as well.
public struct HTTPSAddress: Equatable, Sendable {
  /// The host in lower case; an IPv6 address with its brackets.
  public let host: String

  /// The port; the default of the scheme if none is written.
  public let port: UInt16

  /// Whether the host is a name of several labels: neither an address nor a name that only the local network knows.
  public let hasDomain: Bool

  /// Reads an address, nil if it is not one.
  ///
  /// - Parameter orPlainHere: whether `http` is accepted, if the host can only be this machine.
  public init?(_ text: String, orPlainHere: Bool = false) {
    let isSecure = text.lowercased().hasPrefix("https://")
    guard isSecure || orPlainHere && text.lowercased().hasPrefix("http://"),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C })
    else { return nil }
    let authority = text.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".contains($0) }
    let host: Substring
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[...close]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }), host.count > 2 else {
        return nil
      }
      hasDomain = false
    } else {
      host = authority.prefix { $0 != ":" }
      let labels = host.split(separator: ".", omittingEmptySubsequences: false)
      guard labels.allSatisfy(Self.isLabel), host.utf8.count <= 253, let last = labels.last else { return nil }
      let isNumeric = last.allSatisfy(\.isNumber)
      // Resolvers also read 127.1 or 2130706433 as addresses; only the form that all programs read alike is one here.
      guard !isNumeric || (labels.count == 4 && labels.allSatisfy { UInt8($0).map(String.init) == String($0) }) else {
        return nil
      }
      hasDomain = labels.count > 1 && !isNumeric
    }
    let port = authority.dropFirst(host.count)
    guard let number = port.isEmpty ? (isSecure ? 443 : 80) : Self.number(of: port) else { return nil }
    guard isSecure || Self.isHere(host.lowercased()) else { return nil }
    self.host = host.lowercased()
    self.port = number
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
  }

  /// Whether a host that is well formed can only be this machine.
  private static func isHere(_ host: String) -> Bool {
    host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }

  private static func number(of text: Substring) -> UInt16? {
    let digits = text.dropFirst()
    guard text.hasPrefix(":"), digits.allSatisfy(\.isNumber), let number = UInt16(digits) else { return nil }
    return number > 0 ? number : nil
  }
}
