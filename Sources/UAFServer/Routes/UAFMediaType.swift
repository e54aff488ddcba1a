/// The content types of the transport (UAF client API and transport 1.1, section 3).
enum UAFMediaType: String, CaseIterable {
  case uaf = "application/fido+uaf"
  case json = "application/json"

  /// Reads a Content-Type header; parameters such as the charset are allowed and ignored.
  ///
  /// - Returns: nil for any other type, and for no header.
  init?(header: String?) {
    guard let header else { return nil }
    let type = header.prefix { $0 != ";" }.trimmingSuffix(while: { $0 == " " || $0 == "\t" })
    guard let found = Self.allCases.first(where: { $0.rawValue == type.lowercased() }) else { return nil }
    self = found
  }

  /// The header of an answer, which has the type of the request.
  var header: String { "\(rawValue); charset=utf-8" }
}

extension Substring {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
