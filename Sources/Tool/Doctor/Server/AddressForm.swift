import Glibc
import UAFConfiguration

/// An address as a server sees it: without the differences of spelling that RFC 3986, section 6.2, treats as equal.
///
/// These make no difference: upper or lower case in the host, the scheme's own port, `%` before a character that does not need
/// it, upper or lower case in its digits, parts of the path that are dots, and an empty query.
struct AddressForm: Equatable {
  /// Whether it uses TLS.
  private let isSecure: Bool
  private let host: String
  private let port: UInt16
  private let path: String
  private let query: String

  init(_ url: ServerURL) {
    (isSecure, host, port) = (url.isSecure, Self.host(url.host), url.port)
    let rest = url.text.dropFirst(url.isSecure ? 8 : 7).drop { !"/?".contains($0) }
    let path = rest.prefix { $0 != "?" }
    self.path = Self.withoutDots(Self.decoded(path))
    query = Self.decoded(rest.dropFirst(path.count + 1))
  }

  /// Whether the path ends like one of uaf-server.
  var endsAsOurs: Bool { ["/get", "/respond"].contains { path.hasSuffix($0) } }

  /// Whether the addresses differ at most in parts that many servers ignore: the query, or empty parts of the path, such as a
  /// slash at its end.
  func isLike(_ other: AddressForm) -> Bool {
    (isSecure, host, port) == (other.isSecure, other.host, other.port)
      && path.split(separator: "/") == other.path.split(separator: "/")
  }

  /// Whether the addresses are one if the hosts are two names or addresses of this machine.
  ///
  /// What other names lead to is known only to the resolver, and may change.
  func mayBe(_ other: AddressForm) -> Bool {
    guard host != other.host, (isSecure, port) == (other.isSecure, other.port),
      path.split(separator: "/") == other.path.split(separator: "/")
    else { return false }
    return Self.plain(host) == Self.plain(other.host)
  }

  /// A host, with one name for all of this machine's own.
  private static func plain(_ name: String) -> String {
    let own = [
      "localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", Self.host("::1"),
      Self.host("::ffff:127.0.0.1"),
    ]
    var bytes = in_addr()
    // SAFETY: an in_addr is what this family writes.
    let isAddress = unsafe inet_pton(AF_INET, name, &bytes) == 1
    let isLoopback = isAddress && name.hasPrefix("127.") || own.contains(name) || name.hasSuffix(".localhost")
    return isLoopback ? "localhost" : name
  }

  /// The host in one form: an IPv6 address has many spellings.
  private static func host(_ text: String) -> String {
    var bytes = in6_addr()
    // SAFETY: an in6_addr is what this family writes.
    guard unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return text }
    // SAFETY: the bytes are read while they are there.
    return unsafe withUnsafeBytes(of: &bytes) { bytes in
      unsafe bytes.map { String($0, radix: 16) }.joined(separator: ".")
    }
  }

  /// The text in which each `%` that encodes a letter, a digit, or one of `-._~` is decoded, and the others have capital digits.
  private static func decoded(_ text: Substring) -> String {
    var decoded: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self).uppercased()
      guard byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else {
        decoded.append(byte)
        continue
      }
      decoded += isUnreserved(value) ? [value] : [byte] + Array(digits.utf8)
      rest = rest.dropFirst(2)
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~".utf8.contains(byte)
  }

  /// The path without `.` and `..` (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    var parts: [Substring] = []
    let all = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for part in all where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    if let last = all.last, last == "." || last == ".." { parts.append("") }
    return "/" + parts.joined(separator: "/")
  }
}
