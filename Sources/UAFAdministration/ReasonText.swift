/// Why somebody does something, in their words.
enum ReasonText {
  /// In bytes of UTF-8.
  static let maximum = 500

  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)`` for a longer text, and for control characters.
  static func check(_ text: String) throws(AdministrationRefusal) {
    guard text.utf8.count <= maximum else {
      throw .invalid(field: "reason", reason: "must have at most \(maximum) bytes")
    }
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .invalid(field: "reason", reason: "must have no control characters")
    }
  }
}
