import FidoResults

/// Why somebody does something, in their words.
enum ReasonText {
  /// In bytes of UTF-8.
  static let maximum = 500

  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)`` for a longer text, and for characters that nobody sees.
  static func check(_ text: String) throws(AdministrationRefusal) {
    guard text.utf8.count <= maximum else {
      throw .invalid(field: "reason", reason: "must have at most \(maximum) bytes")
    }
    if let hidden = Text.firstHidden(in: text) { throw .hidden(hidden, field: "reason") }
  }
}
