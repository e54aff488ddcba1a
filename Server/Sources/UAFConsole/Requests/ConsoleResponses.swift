import NIOHTTP1
import UAFMessages
import WebMessages

/// Makes the responses of the console, with the headers that all of them have.
enum ConsoleResponses {
  /// What a response may load and do.
  private enum Content {
    /// Everything that is not a page: it is not shown, so it may load nothing but what every page may.
    case file
    /// A page, with the script that only makes it more comfortable.
    case page
    /// A page whose script asks this server: for a passkey, or for a list while somebody types into its search.
    case asking
  }

  /// Pages run only scripts of this server, and no script may turn a text into markup.
  ///
  /// Only scripts of pages with a passkey, or with a search that follows what is typed, may make requests.
  private static func headers(_ content: Content) -> [(name: StaticString, value: String)] {
    let script =
      switch content {
      case .file: ""
      case .page: "script-src 'self'; require-trusted-types-for 'script'; "
      case .asking: "script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; "
      }
    return [("Content-Security-Policy", "\(policy.first)\(script)\(policy.rest)")] + shared
  }

  private static let policy = (
    first: "default-src 'none'; style-src 'self'; ",
    rest: "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  )

  private static let headers = headers(.file)

  /// The headers of everything that this server sends to browsers; the policy of the content comes from who sends it.
  static let shared: [(name: StaticString, value: String)] = [
    ("Strict-Transport-Security", "max-age=31536000"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ("Cache-Control", "no-store"),
  ]

  static func page(
    _ html: String, status: HTTPResponseStatus = .ok, asks: Bool = false,
    cookies: [(name: StaticString, value: String)] = []
  ) -> WebResponse {
    WebResponse(
      status: status,
      headers: headers(asks ? .asking : .page) + [("Content-Type", "text/html; charset=utf-8")] + cookies,
      body: Array(html.utf8))
  }

  /// The path of the script of pages with a button for a passkey.
  static let scriptPath = "/console/passkey.js"

  static func script() -> WebResponse { script(PasskeyScript.console) }

  static func comfortScript() -> WebResponse { script(ComfortScript.text) }

  private static func script(_ text: String) -> WebResponse {
    WebResponse(
      status: .ok, headers: headers + [("Content-Type", "text/javascript; charset=utf-8")], body: Array(text.utf8))
  }

  /// The reply to a script.
  static func json(_ object: JSONObject, status: HTTPResponseStatus = .ok) -> WebResponse {
    WebResponse(
      status: status, headers: headers + [("Content-Type", "application/json; charset=utf-8")],
      body: JSONValue.object(object).bytes)
  }

  /// A CSV file that the browser saves under the given name.
  static func file(_ name: String, _ text: String) -> WebResponse {
    let own: [(name: StaticString, value: String)] = [
      ("Content-Type", "text/csv; charset=utf-8"),
      ("Content-Disposition", "attachment; filename=\"\(name)\""),
    ]
    return WebResponse(status: .ok, headers: headers + own, body: Array(text.utf8))
  }

  static func styleSheet() -> WebResponse {
    WebResponse(
      status: .ok, headers: headers + [("Content-Type", "text/css; charset=utf-8")], body: Array(StyleSheet.text.utf8))
  }

  /// - Parameter path: a path of this server.
  static func redirect(to path: String, cookies: [(name: StaticString, value: String)] = []) -> WebResponse {
    WebResponse(status: .seeOther, headers: headers + [("Location", path)] + cookies)
  }
}

/// The cookies of a request, and the headers that set and remove them.
///
/// The names of our cookies begin with `__Host-`: a browser accepts such cookies only over TLS and only for this host.
struct Cookies {
  enum Name: String {
    case session = "__Host-uaf-session"
    case signIn = "__Host-uaf-sign-in"
    case language = "__Host-uaf-language"
    /// The distance of the reader's zone from UTC, which a script may set too.
    case zone = "__Host-uaf-zone"
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

  /// The header for a session cookie, which lasts until the browser is closed.
  static func setting(_ name: Name, to value: String) -> (name: StaticString, value: String) {
    ("Set-Cookie", "\(name.rawValue)=\(value)\(attributes)")
  }

  static func removing(_ name: Name) -> (name: StaticString, value: String) {
    ("Set-Cookie", "\(name.rawValue)=\(attributes); Max-Age=0")
  }
}

/// Checks that a request comes from a page of this server.
enum RequestOrigin {
  /// False for requests from a different site, and for requests that do not say where they come from.
  ///
  /// For our own forms, a browser sends `Origin: null`, because our pages forbid referrers. Then `Sec-Fetch-Site`, which no
  /// page can set, shows that the request comes from this server.
  static func isOwn(_ request: WebRequest) -> Bool {
    let site = request.header("sec-fetch-site")
    guard site == nil || site == "same-origin" else { return false }
    let origin = request.header("origin")
    if site != nil, origin == nil || origin == "null" { return true }
    guard let origin, let host = request.header("host") else { return false }
    return origin == "https://\(host)"
  }
}
