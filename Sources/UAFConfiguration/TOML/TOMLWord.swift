// Purpose: TOML's booleans and numbers, and which words are none.

/// A value that is written without quotes or brackets.
enum TOMLWord {
  /// The value of a word.
  ///
  /// - Throws: ``TOMLError`` with this line, also for dates and times, which no key of the configuration takes.
  static func value(of word: String, in line: Int) throws(TOMLError) -> TOMLNode.Value {
    switch word {
    case "": throw TOMLError(line: line, problem: "a value is missing")
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "inf", "+inf": return .float(.infinity)
    case "-inf": return .float(-.infinity)
    case "nan", "+nan", "-nan": return .float(.nan)
    default: break
    }
    if let number = try integer(word, in: line) { return .integer(number) }
    if let number = float(word) { return .float(number) }
    let problem =
      looksLikeDate(word)
      ? "dates and times are not used in this file"
      : "\(word) is not a value: texts need quotes, numbers no leading zeros"
    throw TOMLError(line: line, problem: problem)
  }

  private static func looksLikeDate(_ word: String) -> Bool {
    let separators = word.utf8.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let digits = word.utf8.count - separators.count
    return digits == 4 && separators.first == UInt8(ascii: "-") || digits == 2 && separators.first == UInt8(ascii: ":")
  }

  /// A whole number; nil if the word is none, an error if it is too large.
  private static func integer(_ word: String, in line: Int) throws(TOMLError) -> Int64? {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
      guard let digits = digits(word.dropFirst(2), radix: radix) else { return nil }
      guard let number = Int64(digits, radix: radix) else {
        throw TOMLError(line: line, problem: "\(word) is too large")
      }
      return number
    }
    guard let digits = decimal(word) else { return nil }
    guard let number = Int64(digits) else { throw TOMLError(line: line, problem: "\(word) is too large") }
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
      !group.isEmpty && group.utf8.allSatisfy { digit($0).map { $0 < radix } ?? false }
    }
    return isNumber ? groups.joined() : nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    Character(Unicode.Scalar(byte)).isASCII ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
  }
}
