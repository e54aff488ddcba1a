import Foundation

/// How a program ended and what it printed, both streams together.
struct Output {
  /// The exit status, or minus the signal that ended it.
  let status: Int32
  let text: String

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// Whether the text contains a part.
  func says(_ part: String) -> Bool { text.contains(part) }
}
