import UAFWire

/// The cookies of one ceremony: those that a server has set, in the form in which they are sent back.
///
/// They are not stored: the core holds them from one request to the next, sends them only to the server that set them, and
/// discards them at the end of the ceremony. So a cookie's path, domain and lifetime do not matter; only its deletion
/// (`Max-Age=0`) does.
struct Cookies {
  /// The maximum number of cookies that are held, and that are read from one answer; further ones are ignored.
  static let maximumCount = 32

  private var pairs: [(name: String, value: String)] = []

  /// Reads the cookies that ``header`` wrote.
  init(header: String) {
    for pair in header.split(separator: ";") {
      if let read = Self.pair(pair) { put(read) }
    }
  }

  /// The value of the header `Cookie`; empty if there are no cookies, and at most ``WireLimit/cookies`` bytes.
  var header: String { pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }

  /// Takes over the cookie in one `Set-Cookie` header (RFC 6265, section 4.1).
  ///
  /// A cookie that is malformed or does not fit is ignored.
  mutating func take(_ line: String) {
    let parts = line.split(separator: ";", omittingEmptySubsequences: false)
    guard let first = parts.first, let cookie = Self.pair(first) else { return }
    let isOver = parts.dropFirst().contains { Self.endsCookie($0) }
    if isOver { pairs.removeAll { $0.name == cookie.name } } else { put(cookie) }
  }

  private mutating func put(_ cookie: (name: String, value: String)) {
    var changed = self
    if let index = pairs.firstIndex(where: { $0.name == cookie.name }) {
      changed.pairs[index] = cookie
    } else {
      changed.pairs.append(cookie)
    }
    if changed.pairs.count <= Self.maximumCount, changed.header.utf8.count <= WireLimit.cookies { self = changed }
  }

  private static func pair(_ text: Substring) -> (name: String, value: String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let (name, value) = (trimmed(text[..<equals]), trimmed(text[equals...].dropFirst()))
    // A line break would start a new header, and a semicolon a new cookie.
    guard !name.isEmpty, (name + value).utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ";") }) else {
      return nil
    }
    return (name, value)
  }

  private static func endsCookie(_ attribute: Substring) -> Bool {
    guard let equals = attribute.firstIndex(of: "="), trimmed(attribute[..<equals]).lowercased() == "max-age" else {
      return false
    }
    let age = trimmed(attribute[equals...].dropFirst())
    return age.hasPrefix("-") || !age.isEmpty && age.allSatisfy { $0 == "0" }
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
