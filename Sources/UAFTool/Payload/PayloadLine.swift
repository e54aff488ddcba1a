import UAFMessages

/// The form of an enrolment code: one line of printable ASCII.
enum PayloadLine {
  /// The longest payload a conversation carries.
  static let maximumCount = 16_384

  /// What a text is taken for: its one line or, where more stands in it, the one code or payload of it.
  ///
  /// A byte order mark and a mail program's `> ` are dropped.
  ///
  /// - Throws: ``ToolError/payload(_:)``: `unusable`; `missing` if nothing is left.
  static func checked(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .payload(.unusable) }
    guard !PastedCode.words(of: text).isEmpty else { throw .payload(.missing) }
    guard let code = PastedCode.enrolment(in: text) else { throw .payload(.unusable) }
    return try printable(Array(code.utf8))
  }

  /// What is short enough, and printable.
  ///
  /// - Throws: ``ToolError/payload(_:)``: `unusable`.
  static func printable(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    guard !bytes.isEmpty, bytes.count <= maximumCount, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .payload(.unusable)
    }
    return bytes
  }
}
