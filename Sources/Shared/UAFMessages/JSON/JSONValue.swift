/// A JSON value as UAF uses it.
///
/// Numbers that are not whole, or do not fit 64 bits, keep their text and are never used in calculations: no UAF member is such a
/// number.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case otherNumber(String)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Reads one JSON text: UTF-8 without byte order mark, no duplicate names, nothing after the value.
  ///
  /// - Throws: ``JSONError`` with the byte offset.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    var reader = JSONReader(bytes: bytes, limits: limits)
    self = try reader.document()
  }

  /// The value as compact text in UTF-8; the same value always gives the same bytes.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }

  /// The value as compact text.
  public var text: String {
    String(decoding: bytes, as: UTF8.self)
  }
}

/// The members of a JSON object in the order they were sent.
///
/// Names are compared byte by byte: for Swift's own string equality a Kelvin sign is the letter K.
public struct JSONObject: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  /// One name and its value.
  public struct Member: Equatable, Sendable {
    /// The name, unescaped.
    public let name: String
    /// The value.
    public let value: JSONValue
  }

  /// The members in order; no name occurs twice in an object that was read.
  public private(set) var members: [Member]

  /// Makes an object without members.
  public init() {
    members = []
  }

  /// Makes an object of the given members; a later member of the same name replaces the earlier one.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = []
    members.reserveCapacity(elements.count)
    for (name, value) in elements { set(name, value) }
  }

  init(uniqueMembers: [Member]) {
    members = uniqueMembers
  }

  /// The value of a member, or nil if there is none of that name.
  public subscript(name: String) -> JSONValue? {
    index(of: name).map { members[$0].value }
  }

  /// The text of a member; nil if there is no such member, or if it is not a text.
  public func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  /// Adds a member, or replaces the one of that name; nil adds nothing.
  public mutating func set(_ name: String, _ value: JSONValue?) {
    guard let value else { return }
    let member = Member(name: name, value: value)
    if let index = index(of: name) {
      members[index] = member
    } else {
      members.append(member)
    }
  }

  /// The index of a member; the members are compared in place, because a copy of one would retain its name and value.
  private func index(of name: String) -> Int? {
    for index in members.indices where members[index].name.isIdentical(to: name) { return index }
    return nil
  }
}

/// Writes JSON without white space, members in their order.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  init() {
    // Most texts fit, so that the bytes are not copied each time when there is no more room.
    bytes.reserveCapacity(512)
  }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let flag): append(flag ? "true" : "false")
    case .integer(let number): append(String(number))
    case .otherNumber(let text): append(text)
    case .string(let text): write(string: text)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(string: member.name)
        bytes.append(UInt8(ascii: ":"))
        write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func write(string text: String) {
    bytes.append(UInt8(ascii: "\""))
    let content = text.utf8Span.span
    var start = 0
    while start < content.count {
      let end = PlainCharacters.end(in: content, from: start, orDelete: true)
      // An escape takes at most six bytes.
      bytes.append(addingCapacity: end - start + 6) { bytes in
        bytes.append(copying: content.extracting(start..<end))
        if end < content.count { Self.escape(content[end], in: &bytes) }
      }
      start = end + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8, in bytes: inout OutputSpan<UInt8>) {
    bytes.append(UInt8(ascii: "\\"))
    guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "u"))
    bytes.append(UInt8(ascii: "0"))
    bytes.append(UInt8(ascii: "0"))
    bytes.append(hexDigits[Int(byte >> 4)])
    bytes.append(hexDigits[Int(byte & 0x0F)])
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// Finds the characters that must be escaped in a JSON string (RFC 8259, section 7), eight bytes at a time.
///
/// Most bytes of a UAF message are text in strings, and many of them are strings within strings.
enum PlainCharacters {
  /// The index of the first quotation mark, backslash or control character; the count of `text` if there is none.
  ///
  /// - Parameter orDelete: whether DEL counts as a control character. The grammar allows it, but a raw one would reach
  ///   terminals and logs.
  @inline(__always) static func end(in text: Span<UInt8>, from start: Int, orDelete: Bool = false) -> Int {
    var end = start
    while text.count - end >= 8 {
      // SAFETY: any eight bytes are a number. The call also checks that there are eight.
      let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
      let found = special(UInt64(littleEndian: word), orDelete: orDelete)
      guard found == 0 else { return end + found.trailingZeroBitCount / 8 }
      end += 8
    }
    // One byte, followed by seven spaces.
    while end < text.count, special(spaces << 8 | UInt64(text[end]), orDelete: orDelete) == 0 { end += 1 }
    return end
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let spaces: UInt64 = 0x2020_2020_2020_2020
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// A number whose lowest set bit is the top bit of the first special byte; 0 if there is none.
  ///
  /// The subtraction borrows only from bytes after the first one that is too small, so the lowest set bit is right.
  @inline(__always) private static func special(_ word: UInt64, orDelete: Bool) -> UInt64 {
    var found = (word &- spaces) & ~word | equal(word, to: UInt8(ascii: "\"")) | equal(word, to: UInt8(ascii: "\\"))
    if orDelete { found |= equal(word, to: 0x7F) }
    return found & highBits
  }

  @inline(__always) private static func equal(_ word: UInt64, to byte: UInt8) -> UInt64 {
    let difference = word ^ (UInt64(byte) &* ones)
    return (difference &- ones) & ~difference
  }
}

extension OutputSpan<UInt8> {
  /// Appends bytes, for which there must be space.
  mutating func append(copying bytes: Span<UInt8>) {
    // SAFETY: the free space is after the bytes that were appended before, and both pointers live for the call. That there is
    // enough of it is checked where the bytes are copied.
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        _ = unsafe buffer.extracting(count...).initialize(fromContentsOf: bytes)
        count += bytes.count
      }
    }
  }
}

/// Finds out whether a name is new in an object that is being read.
struct MemberNames {
  /// Up to this many names are compared one by one, which is faster than keeping a set.
  private static let few = 16

  private var names: Set<[UInt8]> = []

  /// Whether a name differs from those of all members before it, byte by byte.
  ///
  /// - Parameter members: all members before it; each was new.
  mutating func isNew(_ name: String, beside members: [JSONObject.Member]) -> Bool {
    guard members.count >= Self.few else { return !members.contains { $0.name.isIdentical(to: name) } }
    if names.isEmpty { names = Set(members.map { Array($0.name.utf8) }) }
    return names.insert(Array(name.utf8)).inserted
  }
}

extension String {
  /// Whether two strings have the same bytes in UTF-8.
  ///
  /// `==` also accepts canonically equivalent text; identifiers (AppID, FacetID, member names) must match exactly.
  public func isIdentical(to other: String) -> Bool {
    // Usually the lengths already differ, and they are known; comparing the bytes of a short text would need a copy first.
    guard utf8.count == other.utf8.count else { return false }
    let (own, others) = (utf8Span.span, other.utf8Span.span)
    for index in own.indices where own[index] != others[index] { return false }
    return true
  }
}
