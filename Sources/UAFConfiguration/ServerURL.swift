// Purpose: the URLs of the server, parsed strictly: a URL that two programs could read differently is refused.

/// An `https` (or, where allowed, `http`) URL with placeholders in its path or query.
public struct ServerURL: Equatable, Sendable {
  /// The URL as written.
  public let text: String

  /// Whether the scheme is `https`.
  public let isSecure: Bool

  /// The host name or address in lower case, without brackets.
  public let host: String

  /// The port; the scheme's own where none is written.
  public let port: UInt16

  /// The placeholders a path or query may hold.
  public static let placeholders = ["{user}", "{appID}", "{transaction}"]

  /// Parses a URL; nil if it is not of the form `https://HOST[:PORT][/PATH][?QUERY]`.
  ///
  /// Refused as well: user information, fragments, bytes outside printable ASCII, quotes, backslashes, and braces that are not a
  /// placeholder's.
  public init?(_ text: String) {
    let isSecure = text.hasPrefix("https://")
    guard isSecure || text.hasPrefix("http://"), text.utf8.count <= 2048 else { return nil }
    let rest = text.dropFirst(isSecure ? 8 : 7)
    let authority = rest.prefix { !"/?#".contains($0) }
    let path = Self.placeholders.reduce(String(rest.dropFirst(authority.count))) { path, placeholder in
      path.split(separator: placeholder, omittingEmptySubsequences: false).joined()
    }
    guard path.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"#\"'<>\\^`{}|".utf8.contains($0) }) else { return nil }
    guard let (host, port) = Self.hostAndPort(authority, default: isSecure ? 443 : 80) else { return nil }
    self.text = text
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  /// Whether the host can only be this machine: 127.0.0.0/8, ::1 or localhost.
  public var isLoopback: Bool {
    if host == "localhost" { return true }
    if let address = Self.ipv4(host) { return address[0] == 127 }
    return Self.isIPv6Loopback(host)
  }

  private static func hostAndPort(_ authority: Substring, default standard: UInt16) -> (String, UInt16)? {
    var host = authority
    var port = standard
    let portStart: Substring.Index?
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      let after = authority[end...].dropFirst()
      guard isIPv6(host), after.isEmpty || after.first == ":" else { return nil }
      portStart = after.isEmpty ? nil : after.startIndex
    } else {
      portStart = authority.firstIndex(of: ":")
      host = authority[..<(portStart ?? authority.endIndex)]
      guard isName(host) else { return nil }
    }
    if let portStart {
      let digits = authority[portStart...].dropFirst()
      let isNumber = (1...5).contains(digits.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isNumber, digits.first != "0", let number = UInt16(digits) else { return nil }
      port = number
    }
    return (host.lowercased(), port)
  }

  /// A host name by RFC 1123, or a dotted quad; a last label of digits alone is an address or nothing.
  private static func isName(_ host: Substring) -> Bool {
    guard (1...253).contains(host.utf8.count) else { return false }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let wellFormed = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
    guard wellFormed, let last = labels.last else { return false }
    let looksNumeric = last.utf8.first.map { (0x30...0x39).contains($0) } ?? false
    return !looksNumeric || ipv4(String(host)) != nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
  }

  private static func ipv4(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } && (part == "0" || part.first != "0") ? UInt8(part) : nil
    }
    return parts.count == 4 && numbers.count == 4 ? numbers : nil
  }

  private static func isIPv6(_ host: Substring) -> Bool {
    (2...45).contains(host.utf8.count) && host.contains(":")
      && host.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || $0 == UInt8(ascii: ":")
      }
  }

  private static func isIPv6Loopback(_ host: String) -> Bool {
    ["::1", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:0000:0000:0001"].contains(host)
  }
}
