// Purpose: TOML values: booleans, numbers, arrays and inline tables.

extension TOMLParser {
  mutating func value(depth: Int) throws(TOMLError) -> TOMLNode.Value {
    guard depth < Self.maximumDepth else { throw error("values nested more than \(Self.maximumDepth) deep") }
    switch peek {
    case UInt8(ascii: "\""):
      return .string(isAt("\"\"\"") ? try multilineString(quote: UInt8(ascii: "\"")) : try basicString())
    case UInt8(ascii: "'"):
      return .string(isAt("'''") ? try multilineString(quote: UInt8(ascii: "'")) : try literalString())
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "{"): return .table(try inlineTable(depth: depth))
    default: return try word()
    }
  }

  private mutating func array(depth: Int) throws(TOMLError) -> [TOMLNode] {
    position += 1
    var elements: [TOMLNode] = []
    while true {
      skipSpaceCommentsAndLines()
      if take("]") { return elements }
      entries += 1
      guard entries <= Self.maximumEntries else { throw error("more than \(Self.maximumEntries) entries") }
      let start = line
      elements.append(TOMLNode(value: try value(depth: depth + 1), line: start))
      skipSpaceCommentsAndLines()
      guard take(",") || peek == UInt8(ascii: "]") else { throw error("an array's elements need commas, its end ]") }
    }
  }

  private mutating func inlineTable(depth: Int) throws(TOMLError) -> TOMLTable {
    position += 1
    let table = TOMLTable(.dotted)
    skipSpace()
    if !take("}") {
      repeat {
        try keyAndValue(in: table, depth: depth + 1)
        skipSpace()
      } while take(",")
      guard take("}") else { throw error("an inline table must end with } in its line") }
    }
    close(table)
    return table
  }

  /// Nothing may be added to an inline table, nor to the tables its dotted keys made.
  private func close(_ table: TOMLTable) {
    table.origin = .inline
    for key in table.keys {
      if case .table(let inner)? = table[key]?.value { close(inner) }
    }
  }

  private mutating func skipSpaceCommentsAndLines() {
    repeat {
      skipSpace()
      skipComment()
    } while newline()
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  // MARK: Words

  private mutating func word() throws(TOMLError) -> TOMLNode.Value {
    let start = position
    while let byte = peek, Self.isWord(byte) { position += 1 }
    let word = text(start..<position)
    switch word {
    case "": throw error("a value is missing")
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "inf", "+inf": return .float(.infinity)
    case "-inf": return .float(-.infinity)
    case "nan", "+nan", "-nan": return .float(.nan)
    default: break
    }
    if let number = try integer(word) { return .integer(number) }
    if let number = Self.float(word) { return .float(number) }
    if Self.looksLikeDate(word) { throw error("dates and times are not used in this file") }
    throw error("\(word) is not a value: texts need quotes, numbers no leading zeros")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "+-_.:".utf8.contains(byte)
    }
  }

  private static func looksLikeDate(_ word: String) -> Bool {
    let separators = word.utf8.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let digits = word.utf8.count - separators.count
    return digits == 4 && separators.first == UInt8(ascii: "-") || digits == 2 && separators.first == UInt8(ascii: ":")
  }

  /// A whole number; nil if the word is none, an error if it is too large.
  private func integer(_ word: String) throws(TOMLError) -> Int64? {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
      guard let digits = Self.digits(word.dropFirst(2), radix: radix) else { return nil }
      guard let number = Int64(digits, radix: radix) else { throw error("\(word) is too large") }
      return number
    }
    guard let digits = Self.decimal(word) else { return nil }
    guard let number = Int64(digits) else { throw error("\(word) is too large") }
    return number
  }

  private static func float(_ word: String) -> Double? {
    let parts = word.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
    guard let mantissa = parts.first else { return nil }
    let halves = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = halves.first.flatMap({ decimal($0) }), parts.count == 2 || halves.count == 2 else { return nil }
    var number = whole
    if halves.count == 2 {
      guard let fraction = digits(halves[1], radix: 10) else { return nil }
      number += "." + fraction
    }
    if parts.count == 2 {
      let sign = parts[1].first.flatMap { "+-".contains($0) ? String($0) : nil } ?? ""
      guard let exponent = digits(parts[1].dropFirst(sign.count), radix: 10) else { return nil }
      number += "e" + sign + exponent
    }
    return Double(number)
  }

  /// A signed decimal number without leading zeros, its underscores removed.
  private static func decimal(_ word: some StringProtocol) -> String? {
    let sign = word.first.flatMap { "+-".contains($0) ? String($0) : nil } ?? ""
    guard let digits = digits(word.dropFirst(sign.count), radix: 10), digits.count == 1 || digits.first != "0" else {
      return nil
    }
    return sign + digits
  }

  /// One or more digits, underscores only between two of them, which are removed.
  private static func digits(_ word: some StringProtocol, radix: Int) -> String? {
    let groups = word.split(separator: "_", omittingEmptySubsequences: false)
    let isNumber = groups.allSatisfy { group in
      !group.isEmpty && group.utf8.allSatisfy { Self.digit($0).map { $0 < radix } ?? false }
    }
    return isNumber ? groups.joined() : nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    Character(Unicode.Scalar(byte)).isASCII ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
  }
}
