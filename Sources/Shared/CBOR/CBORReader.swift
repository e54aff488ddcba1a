/// Reads the CTAP2 canonical CBOR encoding form, and refuses every other encoding of a value.
///
/// CTAP 2.1, section 8: the shortest form of each number and length, definite lengths, sorted and unique keys, no tags.
/// Beyond that it refuses floating-point numbers, `undefined`, and keys that are neither a number nor a text: no message of
/// CTAP2 or WebAuthn that we know has them, and two readers may understand them differently.
struct CBORReader {
  private let limits: CBORLimits
  private(set) var position: Int
  private var depth = 0

  init(at position: Int, limits: CBORLimits) {
    self.position = position
    self.limits = limits
  }

  mutating func value(_ bytes: Span<UInt8>) throws(CBORError) -> CBORValue {
    let start = position
    let head = try head(bytes)
    switch head.type {
    case .unsigned: return .unsigned(head.argument)
    case .negative: return .negative(head.argument)
    case .bytes: return .bytes(try content(bytes, head.argument, startingAt: start))
    case .text: return .text(try text(bytes, head.argument, startingAt: start))
    case .array: return try array(bytes, head.argument, startingAt: start)
    case .map: return try map(bytes, head.argument, startingAt: start)
    case .tag: throw CBORError(reason: .tag, offset: start)
    case .simple: return try simple(bytes[start], startingAt: start)
    }
  }

  // MARK: Heads

  private struct Head {
    let type: MajorType
    let argument: UInt64
  }

  /// Reads the first byte and the argument that follows it.
  private mutating func head(_ bytes: Span<UInt8>) throws(CBORError) -> Head {
    let start = position
    let first = try next(bytes)
    guard let type = MajorType(rawValue: first >> 5) else { throw CBORError(reason: .truncated, offset: start) }
    let information = first & 0x1F
    // In major type 7, what follows is not a length or a number with a shortest form. The caller refuses it by the first byte.
    if type == .simple { return Head(type: type, argument: 0) }
    switch information {
    case 0...23: return Head(type: type, argument: UInt64(information))
    case 24...27:
      let count = 1 << Int(information - 24)
      guard bytes.count - position >= count else { throw CBORError(reason: .truncated, offset: start) }
      var argument: UInt64 = 0
      for _ in 0..<count { argument = argument << 8 | UInt64(try next(bytes)) }
      // A number below this fits in half as many bytes, or, below 24, in the first byte.
      let tooSmall: UInt64 = count == 1 ? 24 : 1 << (UInt64(count) * 4)
      guard argument >= tooSmall else { throw CBORError(reason: .notShortest, offset: start) }
      return Head(type: type, argument: argument)
    case 31: throw CBORError(reason: .indefiniteLength, offset: start)
    default: throw CBORError(reason: .reserved, offset: start)
    }
  }

  private mutating func next(_ bytes: Span<UInt8>) throws(CBORError) -> UInt8 {
    guard position < bytes.count else { throw CBORError(reason: .truncated, offset: position) }
    defer { position += 1 }
    return bytes[position]
  }

  /// A count of bytes or items, after a check that enough bytes are left for it; nothing is allocated before.
  private func count(
    _ argument: UInt64, of size: Int, _ bytes: Span<UInt8>, startingAt start: Int
  ) throws(CBORError) -> Int {
    guard argument <= UInt64((bytes.count - position) / size) else {
      throw CBORError(reason: .truncated, offset: start)
    }
    return Int(argument)
  }

  // MARK: Strings

  private mutating func content(
    _ bytes: Span<UInt8>, _ argument: UInt64, startingAt start: Int
  ) throws(CBORError) -> [UInt8] {
    let end = position + (try count(argument, of: 1, bytes, startingAt: start))
    let content = [UInt8](capacity: end - position) { content in
      for index in position..<end { content.append(bytes[index]) }
    }
    position = end
    return content
  }

  private mutating func text(
    _ bytes: Span<UInt8>, _ argument: UInt64, startingAt start: Int
  ) throws(CBORError) -> String {
    guard let text = String(validating: try content(bytes, argument, startingAt: start), as: UTF8.self) else {
      throw CBORError(reason: .invalidUTF8, offset: start)
    }
    return text
  }

  // MARK: Arrays and maps

  private mutating func enter(startingAt start: Int) throws(CBORError) {
    guard depth < limits.maximumDepth else { throw CBORError(reason: .tooDeep, offset: start) }
    depth += 1
  }

  private mutating func array(
    _ bytes: Span<UInt8>, _ argument: UInt64, startingAt start: Int
  ) throws(CBORError) -> CBORValue {
    try enter(startingAt: start)
    let count = try count(argument, of: 1, bytes, startingAt: start)
    var elements: [CBORValue] = []
    for _ in 0..<count { elements.append(try value(bytes)) }
    depth -= 1
    return .array(elements)
  }

  private mutating func map(
    _ bytes: Span<UInt8>, _ argument: UInt64, startingAt start: Int
  ) throws(CBORError) -> CBORValue {
    try enter(startingAt: start)
    let count = try count(argument, of: 2, bytes, startingAt: start)
    var entries: [CBORMap.Entry] = []
    for _ in 0..<count {
      let keyStart = position
      let key = try key(bytes)
      let entry = CBORMap.Entry(key: key, value: try value(bytes))
      if let last = entries.last {
        guard last.encodedKey != entry.encodedKey else { throw CBORError(reason: .repeatedKey, offset: keyStart) }
        guard CBORMap.isBefore(last.encodedKey, entry.encodedKey) else {
          throw CBORError(reason: .unsortedKey, offset: keyStart)
        }
      }
      entries.append(entry)
    }
    depth -= 1
    return .map(CBORMap(sorted: entries))
  }

  private mutating func key(_ bytes: Span<UInt8>) throws(CBORError) -> CBORValue {
    let start = position
    guard start < bytes.count else { throw CBORError(reason: .truncated, offset: start) }
    switch MajorType(rawValue: bytes[start] >> 5) {
    case .unsigned, .negative, .text: return try value(bytes)
    default: throw CBORError(reason: .keyType, offset: start)
    }
  }

  private func simple(_ byte: UInt8, startingAt start: Int) throws(CBORError) -> CBORValue {
    switch byte {
    case SimpleValue.false: return .bool(false)
    case SimpleValue.true: return .bool(true)
    case SimpleValue.null: return .null
    case 0xF9, 0xFA, 0xFB: throw CBORError(reason: .floatingPoint, offset: start)
    case 0xFF: throw CBORError(reason: .indefiniteLength, offset: start)
    default: throw CBORError(reason: .simpleValue, offset: start)
    }
  }
}

extension CBORValue {
  /// Reads bytes that hold exactly one value.
  ///
  /// - Throws: ``CBORError`` with the byte offset.
  public init(parsing bytes: [UInt8], limits: CBORLimits = CBORLimits()) throws(CBORError) {
    var position = 0
    self = try Self.next(in: bytes.span, at: &position, limits: limits)
    guard position == bytes.count else { throw CBORError(reason: .trailingBytes, offset: position) }
  }

  /// Reads the value that begins at a position, and moves the position behind it; the bytes after it are left to the caller.
  ///
  /// - Parameter position: 0 to `bytes.count`; unchanged if nothing could be read.
  /// - Throws: ``CBORError`` with the byte offset from the beginning of `bytes`.
  public static func next(
    in bytes: Span<UInt8>, at position: inout Int, limits: CBORLimits = CBORLimits()
  ) throws(CBORError) -> CBORValue {
    guard bytes.count <= limits.maximumBytes else { throw CBORError(reason: .tooLong, offset: limits.maximumBytes) }
    var reader = CBORReader(at: position, limits: limits)
    let value = try reader.value(bytes)
    position = reader.position
    return value
  }
}

/// The limits above which CBOR is refused.
public struct CBORLimits: Equatable, Sendable {
  /// Longest input in bytes; checked before anything is read.
  public var maximumBytes: Int

  /// Deepest nesting of arrays and maps.
  public var maximumDepth: Int

  /// Makes limits; the defaults are 64 KiB, and the four levels of CTAP 2.1, section 8.
  public init(maximumBytes: Int = 65_536, maximumDepth: Int = 4) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }
}

/// Why CBOR was refused, and where.
public struct CBORError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Reason: Equatable, Sendable, CaseIterable {
    case tooLong
    case tooDeep
    case truncated
    case trailingBytes
    case notShortest
    case indefiniteLength
    case reserved
    case invalidUTF8
    case unsortedKey
    case repeatedKey
    case keyType
    case tag
    case floatingPoint
    case simpleValue
  }

  /// What was wrong.
  public let reason: Reason

  /// Byte offset from the start of the input; that of the item at fault, if it is known.
  public let offset: Int

  /// Makes an error.
  public init(reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// Names the fault and its byte offset, never the value.
  public var description: String {
    let fault =
      switch reason {
      case .tooLong: "it is longer than allowed"
      case .tooDeep: "it is nested too deeply"
      case .truncated: "it ends too early"
      case .trailingBytes: "bytes are left over"
      case .notShortest: "a number or length is not in its shortest form"
      case .indefiniteLength: "a length is not stated"
      case .reserved: "a first byte has no meaning"
      case .invalidUTF8: "a text is not UTF-8"
      case .unsortedKey: "a key of a map is not in its order"
      case .repeatedKey: "a key of a map occurs twice"
      case .keyType: "a key of a map is neither a number nor a text"
      case .tag: "it has a tag"
      case .floatingPoint: "it has a floating-point number"
      case .simpleValue: "it has a simple value other than false, true and null"
      }
    return "the CBOR is malformed at byte \(offset): \(fault)"
  }
}
