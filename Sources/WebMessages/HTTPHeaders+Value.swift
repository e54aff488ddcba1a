import NIOHTTP1

extension HTTPHeaders {
  /// The value of a header; several lines of one name count as one, with commas between them (RFC 9110, section 5.3).
  ///
  /// - Returns: nil if there is none.
  package func value(of name: String) -> String? {
    guard contains(name: name) else { return nil }
    return self[name].joined(separator: ", ")
  }
}
