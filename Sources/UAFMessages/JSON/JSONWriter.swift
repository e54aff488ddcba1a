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
