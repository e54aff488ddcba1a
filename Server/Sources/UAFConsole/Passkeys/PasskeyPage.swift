import NIOHTTP1
import UAFService
import WebMessages

/// The page on which a person registers a passkey with an enrolment code, and tries it.
///
/// Everything comes from this server, and the policy of the page forbids anything else. All texts are in the page: the script
/// shows one of them and contains none.
package enum PasskeyPage {
  package static let path = "/passkey"
  package static let scriptPath = "/passkey/script.js"
  package static let stylePath = "/passkey/style.css"

  private static let headers: [(name: StaticString, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; "
        + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    ("Strict-Transport-Security", "max-age=31536000"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "publickey-credentials-create=(self), publickey-credentials-get=(self)"),
    ("Cache-Control", "no-store"),
  ]

  package static func page(_ request: WebRequest) -> WebResponse {
    // The language is chosen by the link, or else by the browser's settings: the page sets no cookie.
    let chosen = request.query.flatMap { $0.hasPrefix("lang=") ? PageLanguage(rawValue: String($0.dropFirst(5))) : nil }
    let language = chosen ?? PageLanguage(accepted: request.header("Accept-Language"))
    return file(html(language), "text/html; charset=utf-8")
  }

  package static func script() -> WebResponse { file(PasskeyScript.registration, "text/javascript; charset=utf-8") }

  package static func style() -> WebResponse { file(styleText, "text/css; charset=utf-8") }

  private static func file(_ text: String, _ type: String) -> WebResponse {
    WebResponse(status: .ok, headers: headers + [("Content-Type", type)], body: Array(text.utf8))
  }

  /// The words of the page.
  private struct Words {
    let title: String
    let how: String
    let account: String
    let code: String
    let register: String
    let waiting: String
    let registered: String
    let trying: String
    let tried: String
    let noScript: String
    let noPasskeys: String
    let cancelled: String
    let unreachable: String
    let tooOften: String
  }

  private static func words(_ language: PageLanguage) -> Words {
    switch language {
    case .english:
      Words(
        title: "Register a passkey",
        how: "You need the code that your administrator gave you. It works once.",
        account: "Account", code: "Code", register: "Register", waiting: "Follow what your browser asks.",
        registered: "The passkey is registered.", trying: "Try it", tried: "The passkey works.",
        noScript: "This page needs JavaScript.",
        noPasskeys: "This browser cannot use passkeys here. Use a current browser, and the server's own name.",
        cancelled: "The browser made no passkey: it was cancelled, it took too long, or this device has one already.",
        unreachable: "The server does not answer. Check your connection, then try again.",
        tooOften: "Too many attempts. Wait a minute, then try again.")
    case .korean:
      Words(
        title: "패스키 등록", how: "관리자에게 받은 코드가 필요합니다. 코드는 한 번만 쓸 수 있습니다.",
        account: "계정", code: "코드", register: "등록", waiting: "브라우저의 안내를 따르십시오.",
        registered: "패스키가 등록되었습니다.", trying: "사용해 보기", tried: "패스키로 확인되었습니다.",
        noScript: "이 페이지에는 자바스크립트가 필요합니다.",
        noPasskeys: "이 브라우저에서는 여기서 패스키를 쓸 수 없습니다. 최신 브라우저에서 서버 이름으로 접속하십시오.",
        cancelled: "패스키가 만들어지지 않았습니다. 취소되었거나, 시간이 초과되었거나, 이 기기에 이미 있습니다.",
        unreachable: "서버가 응답하지 않습니다. 연결을 확인한 뒤 다시 시도하십시오.",
        tooOften: "시도가 너무 많았습니다. 1분 뒤에 다시 시도하십시오.")
    }
  }

  private static func html(_ language: PageLanguage) -> String {
    let words = words(language)
    let links = PageLanguage.allCases.map { other in
      #"<a lang="\#(other.rawValue)" hreflang="\#(other.rawValue)" href="\#(path)?lang=\#(other.rawValue)""#
        + (other == language ? #" aria-current="true""# : "") + ">\(other.name)</a>"
    }
    let own = [
      ("waiting", words.waiting), ("registered", words.registered), ("tried", words.tried),
      ("no-passkeys", words.noPasskeys), ("cancelled", words.cancelled), ("unreachable", words.unreachable),
      ("too-often", words.tooOften),
    ]
    // Each reason of a refusal has its text under its own name, so that the script looks nothing up.
    let reasons = ServiceRefusal.allCases.map { ($0.rawValue, PasskeyRefusalText($0).text(in: language)) }
    let notices = (own + reasons).map { #"<p data-notice="\#($0.0)" hidden>\#($0.1)</p>"# }
    return """
      <!doctype html>
      <html lang="\(language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(words.title) - uaf-server</title>
      <link rel="stylesheet" href="\(stylePath)">
      <script src="\(scriptPath)" defer></script>
      </head>
      <body>
      <nav>\(links.joined(separator: " "))</nav>
      <main>
      <h1>\(words.title)</h1>
      <p>\(words.how)</p>
      <noscript><p class="notice">\(words.noScript)</p></noscript>
      <form id="registration">
      <label for="account">\(words.account)</label>
      <input id="account" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="128" required>
      <label for="code">\(words.code)</label>
      <input id="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="40" required>
      <button>\(words.register)</button>
      </form>
      <div id="notices" role="status" aria-live="polite">
      \(notices.joined(separator: "\n"))
      </div>
      <button id="try" type="button" hidden>\(words.trying)</button>
      </main>
      </body>
      </html>

      """
  }

  private static let styleText = """
    :root { color-scheme: light dark; --edge: #767676; --mark: #0b57d0; --back: #fff; --text: #1b1b1b; --wash: #eef3fc; }
    @media (prefers-color-scheme: dark) {
      :root { --edge: #8e8e8e; --mark: #a8c7fa; --back: #161616; --text: #ececec; --wash: #22304a; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 30rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
      background: var(--back); color: var(--text); word-break: keep-all; overflow-wrap: anywhere; }
    nav { text-align: right; }
    nav a { margin-left: .75rem; color: var(--mark); }
    nav a[aria-current] { color: inherit; text-decoration: none; font-weight: bold; }
    h1 { font-size: 1.5rem; }
    label { display: block; margin-top: 1rem; font-weight: bold; }
    input { width: 100%; padding: .6rem; font: inherit; color: inherit; background: var(--back);
      border: 1px solid var(--edge); border-radius: .4rem; }
    #code { font-family: ui-monospace, monospace; }
    button { margin-top: 1.25rem; padding: .6rem 1.5rem; font: inherit; font-weight: bold; color: var(--back);
      background: var(--mark); border: 0; border-radius: .4rem; cursor: pointer; }
    button:disabled { opacity: .5; cursor: default; }
    :focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
    #notices p, .notice { margin: 1.25rem 0 0; padding: .75rem 1rem; background: var(--wash);
      border-left: .3rem solid var(--mark); border-radius: .2rem; }
    [hidden] { display: none; }

    """
}
