import NIOHTTP1
import WebMessages

/// The answers of the console, with the headers that all of them have.
enum ConsoleAnswers {
  private static let fields: [(name: StaticString, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    ("Strict-Transport-Security", "max-age=31536000"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
  ]

  static func page(
    _ html: String, status: HTTPResponseStatus = .ok, cookies: [(name: StaticString, value: String)] = []
  ) -> WebAnswer {
    let own: [(name: StaticString, value: String)] = [
      ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
    ]
    return WebAnswer(status: status, fields: fields + own + cookies, body: Array(html.utf8))
  }

  /// A CSV file that the browser keeps under a name.
  static func file(_ name: String, _ text: String) -> WebAnswer {
    let own: [(name: StaticString, value: String)] = [
      ("Content-Type", "text/csv; charset=utf-8"), ("Cache-Control", "no-store"),
      ("Content-Disposition", "attachment; filename=\"\(name)\""),
    ]
    return WebAnswer(status: .ok, fields: fields + own, body: Array(text.utf8))
  }

  static func styleSheet() -> WebAnswer {
    let own: [(name: StaticString, value: String)] = [
      ("Content-Type", "text/css; charset=utf-8"), ("Cache-Control", "no-store"),
    ]
    return WebAnswer(status: .ok, fields: fields + own, body: Array(StyleSheet.text.utf8))
  }

  /// - Parameter path: of this server.
  static func redirect(to path: String, cookies: [(name: StaticString, value: String)] = []) -> WebAnswer {
    let own: [(name: StaticString, value: String)] = [("Location", path), ("Cache-Control", "no-store")]
    return WebAnswer(status: .seeOther, fields: fields + own + cookies)
  }
}
