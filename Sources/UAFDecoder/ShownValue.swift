/// Values as one line of printable ASCII: they come from strangers and go to a terminal.
public enum ShownValue {
  /// Text in quotes; what is not printable ASCII is escaped, and what is long is cut.
  public static func quoted(_ text: String, maximumCount: Int = 200) -> String {
    var shown = "\""
    for scalar in text.unicodeScalars.prefix(maximumCount) {
      switch scalar {
      case "\"", "\\": shown += "\\\(scalar)"
      case " "..."~": shown.unicodeScalars.append(scalar)
      default: shown += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    let count = text.unicodeScalars.count
    return count > maximumCount ? shown + "...\" (\(count) characters)" : shown + "\""
  }

  /// A member's name: as it is where it is plain, in quotes where it is not.
  public static func name(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isPlain ? name : quoted(name, maximumCount: 64)
  }

  /// Bytes in hexadecimal, and how many they are; what is long is cut.
  static func hexadecimal(_ bytes: [UInt8], maximumCount: Int = 32) -> String {
    guard !bytes.isEmpty else { return "empty" }
    let digits = bytes.prefix(maximumCount).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return digits.joined() + (bytes.count > maximumCount ? "..." : "") + " (\(count(bytes.count)))"
  }

  /// `1 byte`, `2 bytes`.
  static func count(_ bytes: Int) -> String { bytes == 1 ? "1 byte" : "\(bytes) bytes" }

  /// A number of the registry: `0x0100`.
  static func registry(_ number: UInt16) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
