/// One line of the log: `key=value` parts, whose values cannot be mistaken for anything else.
///
/// Bytes outside visible ASCII, and those with a meaning here, are written as `%XX`: a user name with
/// a newline makes no second line.
struct LogLine: CustomStringConvertible {
  private(set) var description: String
  /// Longest value in bytes, before escaping.
  private static let valueLimit = 256
  // Format characters turn the direction of what follows.
  private static let escaped: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]

  /// Begins a line with what happened.
  init(event: String) { description = "event=\(event)" }

  /// Adds a part.
  mutating func add(_ key: String, _ value: some Sequence<UInt8>) {
    description += " \(key)="
    for byte in value.prefix(Self.valueLimit) {
      if (0x21...0x7e).contains(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "\"") {
        description.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        description += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// Adds a part, if there is one.
  mutating func add(_ key: String, _ value: String?) {
    if let value { add(key, value.utf8) }
  }

  /// Adds text for people as the last part, in quotes; escaped is what steers a terminal, hides from the eye or ends a line.
  mutating func addText(_ key: String, _ text: String) {
    description += " \(key)=\""
    for scalar in text.unicodeScalars.prefix(4 * Self.valueLimit) {
      if Self.escaped.contains(scalar.properties.generalCategory) || scalar == "\"" || scalar == "\\" {
        description += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        description.unicodeScalars.append(scalar)
      }
    }
    description += "\""
  }
}
