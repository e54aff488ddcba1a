// Purpose: the CTAP2 canonical form of CBOR, read and written: RFC 8949 with one encoding for each value, without tags and
// floating-point numbers. Pure: bytes in, values out. Imports the standard library only.

/// A value of the CTAP2 canonical CBOR encoding form.
///
/// One value has one encoding, so two values are equal exactly if their encodings are.
public enum CBORValue: Sendable {
  /// A whole number from 0.
  case unsigned(UInt64)
  /// The number -1 - n.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map(CBORMap)
  case bool(Bool)
  case null

  /// A whole number.
  public static func integer(_ number: Int64) -> CBORValue {
    // The complement of a negative number is -1 - n.
    number < 0 ? .negative(UInt64(~number)) : .unsigned(UInt64(number))
  }

  /// The value as a number; nil if it is none, or does not fit.
  public var integer: Int64? {
    switch self {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let number): Int64(exactly: number).map { ~$0 }
    default: nil
    }
  }

  /// The value as a byte string; nil if it is none.
  public var bytes: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  /// The value as a text; nil if it is none.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The value as a map; nil if it is none.
  public var map: CBORMap? {
    if case .map(let map) = self { map } else { nil }
  }

  /// The elements of an array; nil if the value is none.
  public var array: [CBORValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

extension CBORValue: Equatable {
  /// Whether both have the same encoding: Swift's own equality of texts would also accept canonically equivalent ones.
  public static func == (first: CBORValue, second: CBORValue) -> Bool { first.encoded == second.encoded }
}

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  /// A whole number.
  public init(integerLiteral number: Int64) { self = .integer(number) }

  /// A text.
  public init(stringLiteral text: String) { self = .text(text) }

  /// True or false.
  public init(booleanLiteral flag: Bool) { self = .bool(flag) }
}

/// A map, its entries in the order in which they are written.
public struct CBORMap: Sendable, ExpressibleByDictionaryLiteral {
  /// A key and its value.
  public struct Entry: Equatable, Sendable {
    /// A number or a text.
    public let key: CBORValue
    /// The value.
    public let value: CBORValue
    /// The key as it is written, by which entries are sorted and found.
    let encodedKey: [UInt8]

    init(key: CBORValue, value: CBORValue) {
      self.key = key
      self.value = value
      encodedKey = key.encoded
    }
  }

  /// The entries, sorted by key; no key occurs twice.
  public private(set) var entries: [Entry]

  /// Makes a map without entries.
  public init() {
    entries = []
  }

  /// Makes a map of entries in any order; a later entry with the same key replaces the earlier one.
  ///
  /// Only numbers and texts are keys that ``CBORValue/init(parsing:limits:)`` reads.
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
    entries = []
    for (key, value) in elements { set(key, value) }
  }

  /// Takes over entries that are sorted and unique.
  init(sorted entries: [Entry]) {
    self.entries = entries
  }

  /// The value of a key, or nil if there is none.
  public subscript(key: CBORValue) -> CBORValue? {
    let encoded = key.encoded
    return entries.first { $0.encodedKey == encoded }?.value
  }

  /// Adds an entry, or replaces the one with that key; nil adds nothing.
  public mutating func set(_ key: CBORValue, _ value: CBORValue?) {
    guard let value else { return }
    let entry = Entry(key: key, value: value)
    let index = entries.firstIndex { !Self.isBefore($0.encodedKey, entry.encodedKey) } ?? entries.endIndex
    if index < entries.endIndex, entries[index].encodedKey == entry.encodedKey {
      entries[index] = entry
    } else {
      entries.insert(entry, at: index)
    }
  }

  /// Whether a key is written before another: by major type, then by length, then by bytes (CTAP 2.1, section 8).
  ///
  /// For numbers and texts that is the order of the encoded bytes, because type and length stand at their beginning.
  static func isBefore(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.lexicographicallyPrecedes(second)
  }
}

extension CBORMap: Equatable {
  /// Whether both have the same encoding.
  public static func == (first: CBORMap, second: CBORMap) -> Bool { first.encoded == second.encoded }
}
