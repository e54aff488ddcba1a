/// The parts of an https URL that trust is decided by.
///
///     address = "https://" host [":" port] [("/" / "?" / "#") *VCHAR]
///
/// Stricter than RFC 3986: no user information, no percent-encoding in the host, no characters outside ASCII; what two
/// URL parsers could split differently is not an address here.
struct HTTPSAddress: Equatable {
  /// The host in lower case; an IPv6 address with its brackets.
  let host: String

  /// Reads an address, nil if it is not one.
  init?(_ text: String) {
    let scheme = "https://"
    guard text.lowercased().hasPrefix(scheme), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C })
    else { return nil }
    let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let host: Substring
    let port: Substring
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[...close]
      port = authority[authority.index(after: close)...]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }), host.count > 2 else {
        return nil
      }
    } else {
      host = authority.prefix { $0 != ":" }
      port = authority.dropFirst(host.count)
      guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." }) else { return nil }
    }
    guard port.isEmpty || Self.isPort(port) else { return nil }
    self.host = host.lowercased()
  }

  private static func isPort(_ text: Substring) -> Bool {
    guard text.hasPrefix(":"), text.dropFirst().allSatisfy(\.isNumber), let number = UInt16(text.dropFirst()) else {
      return false
    }
    return number > 0
  }
}
