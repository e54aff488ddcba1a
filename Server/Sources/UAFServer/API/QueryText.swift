/// The parameters after the question mark of a request's target.
struct QueryText: Equatable {
  private var items: [(name: String, value: String)] = []

  static func == (one: QueryText, other: QueryText) -> Bool {
    one.items.elementsEqual(other.items) { $0.name == $1.name && $0.value == $1.value }
  }

  /// Reads `name=value&name=value`.
  ///
  /// Names and values are percent-encoded; a plus sign does not stand for a space.
  ///
  /// - Parameter names: the names that the route accepts.
  /// - Throws: ``Problem`` for an unknown name, and for a repeated one.
  init(_ text: String?, names: [String]) throws(Problem) {
    guard let text, !text.isEmpty else { return }
    for part in text.split(separator: "&", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = sides.first.flatMap({ Self.decoded($0) }), names.contains(name) else {
        // The text does not show the name, which may be a secret that somebody has put there by mistake.
        throw Problem(.badRequest, "invalid", "the query has a parameter that this path does not have")
      }
      guard sides.count == 2, let value = Self.decoded(sides[1]) else {
        throw Problem(.badRequest, "invalid", "must be \(name)=VALUE, percent-encoded", field: name)
      }
      guard self[name] == nil else { throw Problem(.badRequest, "invalid", "appears twice", field: name) }
      items.append((name, value))
    }
  }

  subscript(name: String) -> String? { items.first { $0.name == name }?.value }

  /// A number; nil if the parameter is missing.
  ///
  /// - Throws: ``Problem`` for anything other than digits.
  func integer(_ name: String) throws(Problem) -> Int64? {
    guard let text = self[name] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
      throw Problem(.badRequest, "invalid", "must be a whole number that is not negative", field: name)
    }
    return number
  }

  /// `true` or `false`; false if the parameter is missing.
  func flag(_ name: String) throws(Problem) -> Bool {
    switch self[name] {
    case nil, "false": return false
    case "true": return true
    default: throw Problem(.badRequest, "invalid", "must be true or false", field: name)
    }
  }

  /// - Returns: nil if the text is not percent-encoded UTF-8, or contains U+0000, which no store accepts.
  static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, !digits.hasPrefix("+"), !digits.hasPrefix("-"), let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}

/// Paths of the API that are built from names.
enum PathText {
  /// A path below ``APIRoute/prefix``; characters that a segment of a URL cannot contain are percent-encoded.
  static func joined(_ segments: [String]) -> String {
    APIRoute.prefix + segments.map { "/" + encoded($0) }.joined()
  }

  /// Encodes everything except the unreserved characters (RFC 3986, section 2.3).
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      if isPlain {
        result.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        result += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
