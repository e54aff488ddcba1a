import FidoResults

/// Text of others as it may be shown: without anything that steers a terminal.
package enum ShownText {
  /// One line.
  package static func line(_ text: String) -> String { Text.cleaned(text, limit: lineLimit) }

  // A machine's people fit into a line; thousands of a directory's do not.
  private static let longestList = 8

  /// Names in a line, each cleaned; of many the first ones, and how many more there are.
  package static func names(_ names: [String], more: (Int) -> String) -> String {
    let shown = names.prefix(longestList).map(line).joined(separator: ", ")
    return names.count <= longestList ? shown : "\(shown), \(more(names.count - longestList))"
  }

  /// Several lines, each cleaned; empty ones are left out.
  ///
  /// A space at the end, after which an entry follows, stays.
  package static func lines(_ text: String) -> String {
    // Scalar by scalar: for a String a carriage return and a line feed are one character, and not this one.
    let lines = text.unicodeScalars.split(separator: "\n").map { line(String($0)) }.filter { !$0.isEmpty }
    return lines.joined(separator: "\n") + (text.hasSuffix(" ") && !lines.isEmpty ? " " : "")
  }

  /// A JSON document or a token: byte for byte, but for what neither can hold and a terminal would obey.
  package static func verbatim(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    kept.append(
      contentsOf: text.unicodeScalars.filter { scalar in
        scalar == "\n" || ![.control, .format].contains(scalar.properties.generalCategory)
      })
    return String(kept)
  }

  // Text in a packet has at most 4,096 bytes.
  private static let lineLimit = 4096
}
