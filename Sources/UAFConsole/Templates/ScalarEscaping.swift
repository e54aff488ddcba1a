import FidoResults
import Mustache

/// Text as HTML, escaped Unicode scalar by Unicode scalar.
///
/// The content type of the package compares characters, which can be several scalars: U+0600 and `<` are one character, and so
/// are `"` and U+0301. A browser reads scalars, and would see markup in both.
struct ScalarEscaping: MustacheContentType {
  /// What a text is shown for; a template has its name in its first line.
  enum Use: String, CaseIterable {
    /// For people: nothing in it is hidden.
    case reading = "HTML-FOR-READING"
    /// For the browser too, which sends the value back as it was.
    case returning = "HTML-FOR-RETURNING"
  }

  let use: Use

  func escapeText(_ text: String) -> String {
    let text = use == .reading ? Text.marked(text, keepsLines: true) : text
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
