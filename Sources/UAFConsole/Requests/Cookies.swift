/// The cookies of a request, and the headers that set and remove them.
///
/// Their names begin with `__Host-`: a browser takes such a cookie over TLS alone, for this host alone.
struct Cookies {
  enum Name: String {
    case session = "__Host-uaf-session"
    case signIn = "__Host-uaf-sign-in"
    case language = "__Host-uaf-language"
  }

  private let values: [String: String]

  init(_ header: String?) {
    var values: [String: String] = [:]
    for part in (header ?? "").split(separator: ";", maxSplits: 32) {
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if pair.count == 2 { values[String(pair[0])] = String(pair[1]) }
    }
    self.values = values
  }

  subscript(name: Name) -> String? { values[name.rawValue] }

  private static let attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict"

  /// A cookie that ends with the browser.
  static func setting(_ name: Name, to value: String) -> (name: StaticString, value: String) {
    ("Set-Cookie", "\(name.rawValue)=\(value)\(attributes)")
  }

  static func removing(_ name: Name) -> (name: StaticString, value: String) {
    ("Set-Cookie", "\(name.rawValue)=\(attributes); Max-Age=0")
  }
}
