/// The content types of the transport (UAF client API and transport 1.1, section 3).
enum UAFMediaType: String, CaseIterable {
  case uaf = "application/fido+uaf"
  case json = "application/json"

  /// Reads a Content-Type header; parameters such as the charset are allowed and ignored.
  ///
  /// - Returns: nil for any other type, and for no header.
  init?(header: String?) {
    guard let header else { return nil }
    var type = header.utf8.prefix { $0 != UInt8(ascii: ";") }
    while let last = type.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { type.removeLast() }
    let found = Self.allCases.first { $0.rawValue.utf8.elementsEqual(type, by: { $0 == Self.lowercased($1) }) }
    guard let found else { return nil }
    self = found
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// The header of an answer, which has the type of the request.
  var header: String { "\(rawValue); charset=utf-8" }
}
