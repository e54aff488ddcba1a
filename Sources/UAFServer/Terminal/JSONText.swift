/// JSON for a terminal.
enum JSONText {
  /// Escapes characters beyond ASCII, and DEL: strangers choose some of the texts.
  static func ascii(_ json: String) -> String {
    var text = ""
    for scalar in json.unicodeScalars {
      if scalar.value < 0x7F {
        text.unicodeScalars.append(scalar)
      } else {
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return text
  }
}
