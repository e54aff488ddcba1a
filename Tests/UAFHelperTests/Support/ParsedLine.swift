/// A line of the log, read only by the grammar of pam_uaf(8).
struct ParsedLine {
  /// The parts of the line in order, the event first.
  ///
  /// Values are as in the line, but without quotes.
  let parts: [(key: String, value: String)]

  subscript(key: String) -> String? { parts.first { $0.key == key }?.value }

  /// - Returns: nil for a line that does not follow the grammar.
  init?(_ line: String) {
    var parts: [(key: String, value: String)] = []
    var rest = line[...]
    while true {
      guard let sign = rest.firstIndex(of: "=") else { return nil }
      let key = rest[..<sign]
      guard !key.isEmpty, key.allSatisfy({ $0.isASCII && $0.isLetter && $0.isLowercase }) else { return nil }
      guard !parts.contains(where: { $0.key == key }) else { return nil }
      rest = rest[rest.index(after: sign)...]
      guard let value = Self.value(from: &rest) else { return nil }
      parts.append((String(key), value))
      guard let next = rest.first else { break }
      guard next == " " else { return nil }
      rest = rest.dropFirst()
    }
    guard parts.first?.key == "event" else { return nil }
    self.parts = parts
  }

  private static func value(from rest: inout Substring) -> String? {
    guard rest.first == "\"" else { return bare(from: &rest) }
    guard let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
    let text = rest[rest.index(after: rest.startIndex)..<end]
    rest = rest[rest.index(after: end)...]
    // A text must contain neither a line end nor anything that looks like a key.
    for (before, sign) in zip(text, text.dropFirst()) where sign == "=" && (before.isLetter || before.isNumber) {
      return nil
    }
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else { return nil }
    return String(text)
  }

  private static func bare(from rest: inout Substring) -> String? {
    let text = rest.prefix { $0 != " " }
    rest = rest[text.endIndex...]
    let forbidden: Set<Character> = ["\"", "="]
    guard text.allSatisfy({ $0.isASCII && !forbidden.contains($0) }) else { return nil }
    return String(text)
  }
}
