/// The media types of UAF.
enum MediaType {
  /// UAF transport bodies.
  static let uaf = "application/fido+uaf"

  /// What the FIDO Alliance's own interface for server tests answers with.
  static let json = "application/json"

  /// Whether a Content-Type names one of `types` and, if it names a character set, UTF-8.
  ///
  /// Other parameters are ignored, as RFC 9110 asks for types that do not define them.
  static func matches(_ contentType: String, _ types: [String]) -> Bool {
    let parts = contentType.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
    guard let type = parts.first, types.contains(type) else { return false }
    return parts.dropFirst().allSatisfy { parameter in
      !parameter.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains(parameter)
    }
  }

  /// The type alone, without parameters.
  static func essence(of contentType: String) -> String {
    trimmed(contentType.prefix { $0 != ";" })
  }

  private static func trimmed(_ part: Substring) -> String {
    String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()).lowercased()
  }
}
