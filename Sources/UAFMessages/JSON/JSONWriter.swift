/// Writes JSON without white space, members in their order.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

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
    var further = 0
    // A length in memory, of which each byte is counted once: no overflow.
    for index in content.indices { further &+= Self.isEscaped(content[index]) ? 5 : 0 }
    if further == 0 {
      bytes.append(contentsOf: text.utf8)
    } else {
      bytes.append(addingCapacity: content.count + further) { bytes in
        for index in content.indices { Self.write(content[index], to: &bytes) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes one byte of a string, which takes at most six.
  @inline(__always) private static func write(_ byte: UInt8, to bytes: inout OutputSpan<UInt8>) {
    guard isEscaped(byte) else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "\\"))
    guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "u"))
    bytes.append(UInt8(ascii: "0"))
    bytes.append(UInt8(ascii: "0"))
    bytes.append(hexDigits[Int(byte >> 4)])
    bytes.append(hexDigits[Int(byte & 0x0F)])
  }

  // DEL needs no escape by the grammar, but a raw one would reach terminals and logs.
  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
