import Mustache

/// Text as HTML, escaped Unicode scalar by Unicode scalar.
///
/// The content type of the package compares characters, which can be several scalars: U+0600 and `<` are one character, and so
/// are `"` and U+0301. A browser reads scalars, and would see markup in both.
struct ScalarEscaping: MustacheContentType {
  /// The name that a template gives in its first line.
  static let name = "HTML-BY-SCALAR"

  func escapeText(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
