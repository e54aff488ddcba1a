// Purpose: parses an answer of a graphical front end in locked memory. The strict JSON parser of UAFMessages would make
// Strings, whose copies nobody could wipe.

import SecretMemory
import TerminalPrompts
import UAFWire

/// Reads one line: the answer to one challenge, to several of them, or to *ready*.
///
///     line   = "{" ( one / all / word ":" "true" ) "}"
///     one    = "\"answer\"" ":" string
///     all    = "\"answers\"" ":" "[" string *( "," string ) "]"
///     word   = "\"cancel\"" / "\"resume\"" / "\"deny\""
///
/// JSON's white space may be between the parts. Names are written as above, without escapes. A string is JSON's, in
/// UTF-8, without U+0000, and at most ``WireLimit/answer`` bytes long once its escapes are resolved.
struct JSONAnswerReader {
  /// What a line contains.
  enum Answer: Equatable {
    /// One answer, which was written to the buffer with this many bytes.
    case value(count: Int)
    /// Several answers, which were written to the buffer one after the other, with these numbers of bytes.
    case values(counts: [Int])
    case cancel, resume, deny
  }

  /// The expected form of an answer.
  enum Form: Equatable {
    /// The answer to one challenge, in the member `answer`.
    case one
    /// The answers to this many challenges, in the member `answers`, which must have exactly as many.
    case all(Int)

    /// How many strings the line must have.
    var count: Int {
      switch self {
      case .one: 1
      case .all(let count): count
      }
    }
  }

  /// The longest line that answers one challenge, in bytes.
  static let maximumLineCount = maximumLineCount(.one)

  /// The longest line, in bytes: each byte of the longest answers as `\u00XX`, and room for the rest of the line.
  static func maximumLineCount(_ form: Form) -> Int { form.count * WireLimit.answer * 6 + 256 }

  private let form: Form
  /// Whether the first brace was already read, so that the line begins after it.
  private let hasBegun: Bool
  private var position = 0
  private var count = 0
  /// The position in the buffer at which the current string must end.
  private var limit = 0

  private init(_ form: Form, hasBegun: Bool) { (self.form, self.hasBegun) = (form, hasBegun) }

  /// Reads `line`; returns nil if it does not have that form.
  ///
  /// The answers' bytes are written to `buffer`, in which each may use an equal part. If nil is returned, nothing in the buffer
  /// may be used.
  ///
  /// - Parameter hasBegun: whether the first brace was already read, so that the line begins after it.
  static func read(
    _ line: Span<UInt8>, as form: Form = .one, hasBegun: Bool = false, into buffer: UnsafeMutableRawBufferPointer
  ) -> Answer? {
    guard line.count <= maximumLineCount(form) else { return nil }
    var reader = JSONAnswerReader(form, hasBegun: hasBegun)
    // SAFETY: the buffer is only passed on; `put` writes inside of it.
    guard let answer = unsafe reader.object(line, buffer) else { return nil }
    return reader.takeSpace(line) && reader.position == line.count ? answer : nil
  }

  private mutating func object(_ line: Span<UInt8>, _ buffer: UnsafeMutableRawBufferPointer) -> Answer? {
    guard hasBegun || takeSpace(line) && take("{", line), takeSpace(line) else { return nil }
    let answer: Answer
    if let word = word(line) {
      guard takeSpace(line), take(":", line), takeSpace(line), take("true", line) else { return nil }
      answer = word
    } else {
      // SAFETY: as in `read`.
      guard let strings = unsafe strings(line, buffer) else { return nil }
      answer = strings
    }
    return takeSpace(line) && take("}", line) ? answer : nil
  }

  /// Reads the member with the answers.
  private mutating func strings(_ line: Span<UInt8>, _ buffer: UnsafeMutableRawBufferPointer) -> Answer? {
    switch form {
    case .one:
      guard take("\"answer\"", line), takeSpace(line), take(":", line), takeSpace(line) else { return nil }
      // SAFETY: as in `read`.
      guard unsafe string(line, buffer, room: buffer.count) else { return nil }
      return .value(count: count)
    case .all(let expected):
      guard take("\"answers\"", line), takeSpace(line), take(":", line), takeSpace(line), take("[", line) else {
        return nil
      }
      var counts: [Int] = []
      while counts.count < expected {
        guard counts.isEmpty || take(",", line), takeSpace(line) else { return nil }
        let start = count
        // SAFETY: as in `read`; there are `expected` parts of this size.
        guard unsafe string(line, buffer, room: buffer.count / expected), takeSpace(line) else { return nil }
        counts.append(count - start)
      }
      return take("]", line) ? .values(counts: counts) : nil
    }
  }

  /// Reads a member such as `cancel`, whose name alone is the answer.
  private mutating func word(_ line: Span<UInt8>) -> Answer? {
    if take("\"cancel\"", line) { return .cancel }
    if take("\"resume\"", line) { return .resume }
    return take("\"deny\"", line) ? .deny : nil
  }

  /// Skips white space, if any.
  private mutating func takeSpace(_ line: Span<UInt8>) -> Bool {
    while position < line.count, [0x20, 0x09, 0x0A, 0x0D].contains(line[position]) { position += 1 }
    return true
  }

  private mutating func take(_ word: StaticString, _ line: Span<UInt8>) -> Bool {
    guard line.count - position >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount {
      // SAFETY: a static string of ASCII has that many bytes.
      guard unsafe line[position + index] == word.utf8Start[index] else { return false }
    }
    position += word.utf8CodeUnitCount
    return true
  }

  /// Reads a string of at most `room` bytes, and appends it to the content of the buffer.
  private mutating func string(
    _ line: Span<UInt8>, _ buffer: UnsafeMutableRawBufferPointer, room: Int
  ) -> Bool {
    guard take("\"", line) else { return false }
    limit = min(count + room, buffer.count)
    while position < line.count {
      switch line[position] {
      case UInt8(ascii: "\""):
        position += 1
        return true
      case UInt8(ascii: "\\"):
        position += 1
        // SAFETY: as in `read`.
        guard let scalar = escape(line), unsafe put(scalar, buffer) else { return false }
      case 0..<0x20:
        return false
      default:
        // SAFETY: as in `read`.
        guard let scalar = UTF8Scalar.first(line, at: position), unsafe put(scalar, buffer) else { return false }
        position += UTF8Scalar.byteCount(scalar)
      }
    }
    return false
  }

  /// Reads what follows the backslash of an escape.
  private mutating func escape(_ line: Span<UInt8>) -> UInt32? {
    guard position < line.count else { return nil }
    let letter = line[position]
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt32(letter)
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"): return unicodeEscape(line)
    default: return nil
    }
  }

  /// Reads the four digits of an escape, or two escapes for a code point above U+FFFF.
  ///
  /// Half of such a pair is refused.
  private mutating func unicodeEscape(_ line: Span<UInt8>) -> UInt32? {
    guard let first = codeUnit(line) else { return nil }
    guard (0xD800...0xDFFF).contains(first) else { return first }
    guard first < 0xDC00, take("\\u", line), let second = codeUnit(line), (0xDC00...0xDFFF).contains(second) else {
      return nil
    }
    return 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF)
  }

  private mutating func codeUnit(_ line: Span<UInt8>) -> UInt32? {
    guard line.count - position >= 4 else { return nil }
    var unit: UInt32 = 0
    for _ in 0..<4 {
      let byte = line[position]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(byte & 0x0F)
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        unit = unit << 4 | UInt32(byte & 0x0F + 9)
      default: return nil
      }
      position += 1
    }
    return unit
  }

  /// Writes `scalar` to the buffer; returns false if an answer may not contain it, or there is no room.
  private mutating func put(_ scalar: UInt32, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let length = UTF8Scalar.byteCount(scalar)
    guard scalar != 0, limit - count >= length else { return false }
    for index in 0..<length {
      // SAFETY: there is room for `length` bytes from `count` on: `limit` is not beyond the buffer.
      unsafe buffer[count + index] = UTF8Scalar.byte(index, of: scalar)
    }
    count += length
    return true
  }
}
