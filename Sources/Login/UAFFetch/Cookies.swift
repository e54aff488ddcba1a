import UAFWire

/// The cookies of one ceremony: what a server has set, in the form in which it is sent back.
///
/// There is no store: the core holds the cookies from one request to the next, sends them to the same server alone, and drops
/// them with the ceremony. So a cookie's path, domain and lifetime do not matter; only its end (`Max-Age=0`) does.
struct Cookies {
  /// How many cookies are held, and how many of an answer are read; others are left out.
  static let maximumCount = 32

  private var pairs: [(name: String, value: String)] = []

  /// Reads what ``header`` wrote.
  init(header: String) {
    for pair in header.split(separator: ";") {
      if let read = Self.pair(pair) { put(read) }
    }
  }

  /// The value of the header `Cookie`; empty without cookies, at most ``WireLimit/cookies`` bytes.
  var header: String { pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }

  /// Takes one value of the header `Set-Cookie` (RFC 6265, section 4.1).
  ///
  /// A cookie that is malformed, or does not fit, is left out.
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
