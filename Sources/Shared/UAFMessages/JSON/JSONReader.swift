/// Reads RFC 8259 JSON, refusing what two readers could understand differently.
///
///     value  = object / array / string / number / "true" / "false" / "null"
///     number = ["-"] ("0" / digit1-9 *digit) ["." 1*digit] [("e" / "E") ["+" / "-"] 1*digit]
struct JSONReader {
  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var position = 0
  private var depth = 0

  init(bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func document() throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.maximumBytes else { throw JSONError(reason: .tooLong, offset: limits.maximumBytes) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure(.byteOrderMark) }
    let value = try value()
    skipWhiteSpace()
    guard position == bytes.count else { throw failure(.trailingBytes) }
    return value
  }

  private func failure(_ reason: JSONError.Reason) -> JSONError {
    JSONError(reason: reason, offset: position)
  }

  private mutating func skipWhiteSpace() {
    while position < bytes.count, Self.isWhiteSpace(bytes[position]) { position += 1 }
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private func peek() throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw failure(.unexpectedEnd) }
    return bytes[position]
  }

  private mutating func next() throws(JSONError) -> UInt8 {
    let byte = try peek()
    position += 1
    return byte
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
    guard try peek() == UInt8(ascii: character) else { throw failure(.unexpectedByte) }
    position += 1
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    skipWhiteSpace()
    switch try peek() {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw failure(.unexpectedByte)
    }
  }

  private mutating func literal(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for expected in word.utf8 {
      guard try peek() == expected else { throw failure(.unexpectedByte) }
      position += 1
    }
    return value
  }

  private mutating func enter() throws(JSONError) {
    guard depth < limits.maximumDepth else { throw failure(.tooDeep) }
    depth += 1
    position += 1
    skipWhiteSpace()
  }

  /// Reads a comma and returns true, or the closing bracket and returns false.
  private mutating func another(closing: Unicode.Scalar) throws(JSONError) -> Bool {
    skipWhiteSpace()
    if try peek() == UInt8(ascii: ",") {
      position += 1
      return true
    }
    try expect(closing)
    depth -= 1
    return false
  }

  private mutating func array() throws(JSONError) -> JSONValue {
    try enter()
    var elements: [JSONValue] = []
    if try peek() == UInt8(ascii: "]") {
      position += 1
      depth -= 1
      return .array(elements)
    }
    repeat { elements.append(try value()) } while try another(closing: "]")
    return .array(elements)
  }

  /// As many members as most objects of UAF have.
  private static let usualMembers = 4

  private mutating func object() throws(JSONError) -> JSONValue {
    try enter()
    if try peek() == UInt8(ascii: "}") {
      position += 1
      depth -= 1
      return .object(JSONObject())
    }
    var members: [JSONObject.Member] = []
    members.reserveCapacity(Self.usualMembers)
    var names = MemberNames()
    repeat {
      skipWhiteSpace()
      let start = position
      let name = try string()
      guard names.isNew(name, beside: members) else {
        throw JSONError(reason: .duplicateMember, offset: start)
      }
      skipWhiteSpace()
      try expect(":")
      members.append(JSONObject.Member(name: name, value: try value()))
    } while try another(closing: "}")
    return .object(JSONObject(uniqueMembers: members))
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    let start = position
    try expect("\"")
    let end = PlainCharacters.end(in: bytes.span, from: position)
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return try escapedString(startingAt: start) }
    defer { position = end + 1 }
    return try text(bytes.span.extracting(position..<end), startingAt: start)
  }

  /// Reads a string that has escapes, or refuses it as invalid, starting after its first quotation mark.
  private mutating func escapedString(startingAt start: Int) throws(JSONError) -> String {
    // No escape decodes to more bytes than it has.
    let content = try [UInt8](capacity: closingQuotationMark() - position) { content throws(JSONError) in
      while true {
        let end = PlainCharacters.end(in: bytes.span, from: position)
        content.append(copying: bytes.span.extracting(position..<end))
        position = end
        switch try peek() {
        case UInt8(ascii: "\""):
          position += 1
          return
        case UInt8(ascii: "\\"):
          for byte in try escape().utf8 { content.append(byte) }
        default:
          throw failure(.controlCharacter)
        }
      }
    }
    return try text(content.span, startingAt: start)
  }

  /// The end of the string that is being read; the end of the text if it is not closed.
  private func closingQuotationMark() -> Int {
    var end = position
    while true {
      end = PlainCharacters.end(in: bytes.span, from: end)
      guard end < bytes.count, bytes[end] != UInt8(ascii: "\"") else { return end }
      // A backslash with what it escapes, or a control character, which is refused.
      end = min(end + 2, bytes.count)
    }
  }

  private func text(_ content: Span<UInt8>, startingAt start: Int) throws(JSONError) -> String {
    guard let valid = try? UTF8Span(validating: content) else { throw JSONError(reason: .invalidUTF8, offset: start) }
    return String(copying: valid)
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    let start = position
    position += 1
    switch try next() {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape(startingAt: start)
    default: throw JSONError(reason: .invalidEscape, offset: start)
    }
  }

  private mutating func unicodeEscape(startingAt start: Int) throws(JSONError) -> Unicode.Scalar {
    let unpaired = JSONError(reason: .unpairedSurrogate, offset: start)
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first) else { throw unpaired }
    guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
    else { throw unpaired }
    position += 2
    let second = try codeUnit()
    guard (0xDC00..<0xE000).contains(second) else { throw unpaired }
    let code = 0x10000 + ((UInt32(first) & 0x3FF) << 10) + (UInt32(second) & 0x3FF)
    guard let scalar = Unicode.Scalar(code) else { throw unpaired }
    return scalar
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let byte = try peek()
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw failure(.invalidEscape)
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let integerStart = position
    try digits()
    if bytes[integerStart] == UInt8(ascii: "0"), position - integerStart > 1 {
      throw JSONError(reason: .invalidNumber, offset: start)
    }
    var isWhole = true
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if position < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) { position += 1 }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    return .otherNumber(text)
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
    guard position > start else { throw failure(position == bytes.count ? .unexpectedEnd : .invalidNumber) }
  }
}

/// The limits above which a JSON text is refused.
public struct JSONLimits: Equatable, Sendable {
  /// Longest text in bytes; checked before anything is read.
  public var maximumBytes: Int

  /// Deepest nesting of arrays and objects.
  public var maximumDepth: Int

  /// Makes limits; the defaults are those of a UAF message, 256 KiB and 16 levels.
  public init(maximumBytes: Int = 262_144, maximumDepth: Int = 16) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }
}

/// Why a JSON text was refused, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  ///
  /// Code must decide by this value, never by text.
  public enum Reason: Equatable, Sendable {
    case tooLong
    case tooDeep
    case unexpectedEnd
    case unexpectedByte
    case byteOrderMark
    case invalidUTF8
    case invalidEscape
    case unpairedSurrogate
    case controlCharacter
    case invalidNumber
    case duplicateMember
    case trailingBytes
  }

  /// What was wrong.
  public let reason: Reason

  /// Byte offset from the start of the text.
  public let offset: Int

  /// Names the fault and its byte offset; never quotes the text.
  public var description: String {
    "the JSON text is not acceptable (\(reason)) at byte \(offset); the sender must correct it"
  }
}
