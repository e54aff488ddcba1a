import UAFService

/// The name of an entry of a directory in the form of RFC 4514, taken apart so that two spellings of one name are equal.
///
/// Values are compared without a difference of case, as almost every attribute of a DN is. An attribute's name and its number
/// (OID) are different here: a directory writes all its names in one way.
package struct DistinguishedName: Hashable, Sendable {
  /// The most bytes of a DN that is looked at.
  static let maximumLength = 8192

  /// One attribute of the first part, the entry's own.
  struct Assertion: Hashable, Sendable {
    /// In lower case.
    let type: String
    /// As it is written, without escapes.
    let value: String
    /// By which it is compared.
    fileprivate let key: String

    static func == (one: Assertion, other: Assertion) -> Bool { one.type == other.type && one.key == other.key }

    func hash(into hasher: inout Hasher) {
      hasher.combine(type)
      hasher.combine(key)
    }
  }

  /// The parts, the entry's own first; each has at least one assertion, in the order of their types.
  private let parts: [[Assertion]]

  /// - Returns: nil for a text that is no DN, and for the empty DN.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength, let parts = Self.parts(Array(text.utf8)) else { return nil }
    self.parts = parts
  }

  /// The value of the entry's own part; nil if that part has several.
  package var ownValue: String? {
    guard let own = parts.first, own.count == 1 else { return nil }
    return own[0].value
  }

  /// Whether this entry is somewhere below another one.
  package func isBelow(_ other: DistinguishedName) -> Bool {
    parts.count > other.parts.count && parts.suffix(other.parts.count).elementsEqual(other.parts)
  }

  // MARK: Reading

  private static func parts(_ bytes: [UInt8]) -> [[Assertion]]? {
    var (place, parts, part) = (0, [[Assertion]](), [Assertion]())
    while true {
      guard let type = type(bytes, &place), let value = value(bytes, &place) else { return nil }
      part.append(Assertion(type: type, value: value, key: SearchText.key(value)))
      guard place == bytes.count || bytes[place] != UInt8(ascii: "+") else {
        place += 1
        continue
      }
      parts.append(part.sorted { ($0.type, $0.key) < ($1.type, $1.key) })
      part = []
      if place == bytes.count { return parts }
      // A comma, or the semicolon of RFC 2253.
      place += 1
    }
  }

  private static func type(_ bytes: [UInt8], _ place: inout Int) -> String? {
    skipSpaces(bytes, &place)
    let begin = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "="), bytes[place] != UInt8(ascii: " ") { place += 1 }
    let name = String(decoding: bytes[begin..<place], as: UTF8.self)
    skipSpaces(bytes, &place)
    guard AttributeName.isValid(name), place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return nil }
    place += 1
    return name.lowercased()
  }

  /// Reads up to the next separator, or the end.
  private static func value(_ bytes: [UInt8], _ place: inout Int) -> String? {
    skipSpaces(bytes, &place)
    var (value, end) = ([UInt8](), 0)
    while place < bytes.count, !",;+".utf8.contains(bytes[place]) {
      let byte = bytes[place]
      place += 1
      guard byte == UInt8(ascii: "\\") else {
        guard !"\"<>\0".utf8.contains(byte) else { return nil }
        value.append(byte)
        // Spaces at the end belong to the value only if they are escaped.
        if byte != UInt8(ascii: " ") { end = value.count }
        continue
      }
      guard place < bytes.count else { return nil }
      if let high = digit(bytes[place]) {
        guard place + 1 < bytes.count, let low = digit(bytes[place + 1]) else { return nil }
        value.append(high << 4 | low)
        place += 2
      } else {
        guard " \"#+,;<=>\\".utf8.contains(bytes[place]) else { return nil }
        value.append(bytes[place])
        place += 1
      }
      end = value.count
    }
    return String(validating: value.prefix(end), as: UTF8.self)
  }

  private static func skipSpaces(_ bytes: [UInt8], _ place: inout Int) {
    while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
