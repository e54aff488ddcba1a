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

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; "
    + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

  package static func page(_ request: WebRequest) -> WebResponse {
    // The language is chosen by the link, or else by the browser's settings: the page sets no cookie.
    let chosen = request.query.flatMap { $0.hasPrefix("lang=") ? PageLanguage(rawValue: String($0.dropFirst(5))) : nil }
    let language = chosen ?? PageLanguage(accepted: request.header("Accept-Language"))
    return file(html(language), "text/html; charset=utf-8")
  }

  package static func script() -> WebResponse { file(PasskeyScript.registration, "text/javascript; charset=utf-8") }

  package static func style() -> WebResponse { file(styleText, "text/css; charset=utf-8") }

  private static func file(_ text: String, _ type: String) -> WebResponse {
    WebResponse(
      status: .ok, headers: [("Content-Security-Policy", policy), ("Content-Type", type)] + ConsoleResponses.shared,
      body: Array(text.utf8))
  }

  private static func html(_ language: PageLanguage) -> String {
    func text(_ key: PageText) -> String { language.text(key) }
    let links = PageLanguage.allCases.map { other in
      #"<a lang="\#(other.rawValue)" hreflang="\#(other.rawValue)" href="\#(path)?lang=\#(other.rawValue)""#
        + (other == language ? #" aria-current="true""# : "") + ">\(other.name)</a>"
    }
    let notices = PasskeyNotice.all(
      [("registered", .passkeyRegistered), ("tried", .passkeyTried), ("cancelled", .passkeyNotMade)], language
    ).map { #"<p data-notice="\#($0.name)" hidden>\#($0.text)</p>"# }
    return """
      <!doctype html>
      <html lang="\(language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(text(.registerPasskey)) - uaf-server</title>
      <link rel="stylesheet" href="\(stylePath)">
      <script src="\(scriptPath)" defer></script>
      </head>
      <body>
      <nav>\(links.joined(separator: " "))</nav>
      <main>
      <h1>\(text(.registerPasskey))</h1>
      <p>\(text(.registerPasskeyHow))</p>
      <noscript><p class="notice">\(text(.scriptNeeded))</p></noscript>
      <form id="registration">
      <label for="account">\(text(.account))</label>
      <input id="account" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="128" required>
      <label for="code">\(text(.sheetCode))</label>
      <input id="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="40" required>
      <button>\(text(.register))</button>
      </form>
      <div id="notices" role="status" aria-live="polite">
      \(notices.joined(separator: "\n"))
      </div>
      <button id="try" type="button" hidden>\(text(.tryPasskey))</button>
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
