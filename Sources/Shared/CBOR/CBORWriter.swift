extension CBORValue {
  /// The value in the CTAP2 canonical CBOR encoding form.
  ///
  /// A value that is nested deeper than ``CBORLimits`` allows is written too, although no reader of CTAP2 accepts it.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    switch self {
    case .unsigned(let number): Self.append(.unsigned, number, to: &bytes)
    case .negative(let number): Self.append(.negative, number, to: &bytes)
    case .bytes(let content):
      Self.append(.bytes, UInt64(content.count), to: &bytes)
      bytes += content
    case .text(let text):
      Self.append(.text, UInt64(text.utf8.count), to: &bytes)
      bytes += text.utf8
    case .array(let elements):
      Self.append(.array, UInt64(elements.count), to: &bytes)
      for element in elements { element.append(to: &bytes) }
    case .map(let map): map.append(to: &bytes)
    case .bool(let flag): bytes.append(flag ? SimpleValue.true : SimpleValue.false)
    case .null: bytes.append(SimpleValue.null)
    }
  }

  /// Appends the head of an item: its major type and its argument in as few bytes as possible.
  fileprivate static func append(_ type: MajorType, _ argument: UInt64, to bytes: inout [UInt8]) {
    let type = type.rawValue << 5
    let count: Int
    switch argument {
    case 0...23:
      bytes.append(type | UInt8(truncatingIfNeeded: argument))
      return
    case 24...0xFF: (count, _) = (1, bytes.append(type | 24))
    case 0x100...0xFFFF: (count, _) = (2, bytes.append(type | 25))
    case 0x1_0000...0xFFFF_FFFF: (count, _) = (4, bytes.append(type | 26))
    default: (count, _) = (8, bytes.append(type | 27))
    }
    for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: argument >> (UInt64(index) * 8))) }
  }
}

extension CBORMap {
  /// The map in the CTAP2 canonical CBOR encoding form.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    CBORValue.append(.map, UInt64(entries.count), to: &bytes)
    for entry in entries {
      bytes += entry.encodedKey
      entry.value.append(to: &bytes)
    }
  }
}

/// The upper three bits of an item's first byte (RFC 8949, section 3.1).
enum MajorType: UInt8 {
  case unsigned, negative, bytes, text, array, map, tag, simple
}

/// The values of major type 7 that CTAP2 needs, each one byte.
enum SimpleValue {
  static let `false`: UInt8 = 0xF4
  static let `true`: UInt8 = 0xF5
  static let null: UInt8 = 0xF6
}
