import FidoResults
import Mustache

/// The templates of the console: one for the page, one for each kind of block, and one for the separate file with sheets.
///
/// Each `{{value}}` is escaped by ``ScalarEscaping``. The first line of each template names the use that decides how.
enum PageTemplates {
  /// Renders a page, or with a different template a part of one.
  ///
  /// - Throws: an error of the parser; tests make sure that there is none.
  static func render(_ context: [String: Any], with template: String = "page") throws -> String {
    try library.get().render(context, withTemplate: template) ?? ""
  }

  private static let library = Result {
    for use in ScalarEscaping.Use.allCases {
      MustacheContentTypes.register(ScalarEscaping(use: use), named: use.rawValue)
    }
    var library = MustacheLibrary()
    let templates: [(name: String, text: String, use: ScalarEscaping.Use)] = [
      ("page", page, .reading), ("table", table, .reading), ("form", form, .reading), ("field", field, .returning),
      ("plot", plot, .reading), ("block", block, .reading), ("sheet", sheet, .reading), ("sheets", sheets, .reading),
    ]
    for (name, text, use) in templates {
      try library.register("{{% CONTENT_TYPE:\(use.rawValue)}}" + text, named: name)
    }
    return library
  }

  private static let page = """
    <!doctype html>
    <html lang="{{language}}">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{title}} - uaf-server</title>
    <link rel="stylesheet" href="{{style}}">
    {{#script}}<script src="{{path}}" defer></script>
    {{/script}}</head>
    <body>
    <a class="skip" href="#main">{{skip}}</a>
    <header>
    <p class="name">uaf-server</p>
    <nav aria-label="{{languageLabel}}"><ul>
    {{#languages}}<li><a lang="{{code}}" hreflang="{{code}}" href="{{href}}"\
    {{#isCurrent}} aria-current="true"{{/isCurrent}}>{{shown}}</a></li>
    {{/languages}}</ul></nav>
    {{#session}}<form method="post" action="/console/sign-out"><input type="hidden" name="csrf" value="{{csrf}}">
    <span class="who">{{who}}</span> <button>{{signOut}}</button></form>{{/session}}
    </header>
    {{#hasMenu}}<nav class="menu" aria-label="{{menuLabel}}"><ul>
    {{#menu}}<li><a href="{{href}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{shown}}</a></li>
    {{/menu}}</ul></nav>{{/hasMenu}}
    <main id="main" tabindex="-1">
    <h1>{{title}}</h1>
    {{#hasNotice}}<p class="notice" role="status">{{notice}}</p>{{/hasNotice}}
    {{#blocks}}{{>block}}{{/blocks}}
    </main>
    </body>
    </html>

    """

  private static let block = """
    {{#heading}}<h2>{{text}}</h2>{{/heading}}
    {{#paragraph}}<p>{{text}}</p>{{/paragraph}}
    {{#aside}}<p class="screen">{{text}}</p>{{/aside}}
    {{#warning}}<p class="notice">{{text}}</p>{{/warning}}
    {{#table}}{{>table}}{{/table}}
    {{#form}}{{>form}}{{/form}}
    {{#facts}}<dl>{{#list}}<div><dt>{{fact}}</dt><dd>{{value}}</dd></div>{{/list}}</dl>{{/facts}}
    {{#plot}}{{>plot}}{{/plot}}
    {{#code}}<section class="code" aria-label="{{label}}"><p>{{label}}</p>
    <pre tabindex="0" aria-label="{{label}}" role="region">{{text}}</pre></section>{{/code}}
    {{#picture}}<svg class="qr" role="img" aria-label="{{label}}" viewBox="0 0 {{side}} {{side}}">
    <rect class="light" width="{{side}}" height="{{side}}"/><path class="dark" d="{{path}}"/></svg>{{/picture}}
    {{#sheet}}{{>sheet}}{{/sheet}}
    {{#passkey}}<form class="passkey" method="post" action="{{action}}">
    <input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="answer" value="">
    <button type="button">{{button}}</button>
    <div role="status" aria-live="polite">{{#notices}}<p class="notice" data-notice="{{name}}" hidden>{{text}}</p>
    {{/notices}}</div></form>{{/passkey}}
    """

  private static let sheet = """
    <article class="sheet" lang="{{sheetLanguage}}"><h2>{{sheetTitle}}</h2>
    <dl>{{#sheetFacts}}<div><dt>{{fact}}</dt><dd><bdi>{{value}}</bdi></dd></div>{{/sheetFacts}}</dl>
    <ol><li>{{sheetSave}}</li>
    <li>{{sheetRun}}<pre class="command">{{sheetCommand}}</pre></li>
    <li>{{sheetAfter}}</li></ol>
    {{#hasPicture}}<svg class="qr" role="img" aria-label="{{sheetPicture}}" viewBox="0 0 {{side}} {{side}}">
    <rect class="light" width="{{side}}" height="{{side}}"/><path class="dark" d="{{path}}"/></svg>{{/hasPicture}}
    {{^hasPicture}}<p>{{sheetNoPicture}}</p>{{/hasPicture}}
    <h3>{{sheetCode}}</h3>
    <pre>{{sheetLine}}</pre></article>

    """

  /// The beginning of a file with sheets.
  ///
  /// Its Content-Security-Policy allows no script and no other file, in case a name were ever left unescaped.
  private static let sheets = """
    <!doctype html>
    <html lang="{{language}}">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy"\
     content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
    <meta name="referrer" content="no-referrer">
    <title>{{title}}</title>
    <style>
    {{{style}}}</style>
    </head>
    <body>
    <main>
    <h1>{{title}}</h1>
    <p class="screen">{{how}}</p>

    """

  private static let table = """
    {{#hasRows}}<div class="table" tabindex="0" role="region" aria-label="{{caption}}">
    <table><caption>{{caption}}</caption>
    <thead><tr>{{#columns}}<th scope="col">{{.}}</th>{{/columns}}</tr></thead>
    <tbody>{{#rows}}<tr>{{#cells}}<td data-column="{{column}}">{{#isLink}}<a href="{{link}}">{{text}}</a>{{/isLink}}\
    {{^isLink}}{{text}}{{/isLink}}</td>{{/cells}}</tr>
    {{/rows}}</tbody></table></div>{{/hasRows}}
    {{^hasRows}}<p class="empty">{{empty}}</p>{{/hasRows}}
    {{#hasNext}}<p><a rel="next" href="{{nextLink}}">{{next}}</a></p>{{/hasNext}}
    """

  private static let form = """
    <form id="{{id}}" method="{{method}}" action="{{action}}"\
    {{#isUpload}} enctype="multipart/form-data"{{/isUpload}}>
    <fieldset><legend>{{formTitle}}</legend>
    {{#isPost}}<input type="hidden" name="csrf" value="{{csrf}}">{{/isPost}}
    {{#fields}}{{>field}}{{/fields}}
    <button{{#isDangerous}} class="danger"{{/isDangerous}}>{{button}}</button>
    </fieldset></form>
    """

  private static let field = """
    {{#isHidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/isHidden}}
    {{#isText}}<label for="{{id}}">{{label}}</label>
    <input id="{{id}}" name="{{name}}" value="{{value}}" maxlength="{{maximum}}" autocomplete="off" spellcheck="false"\
    {{#isRequired}} required{{/isRequired}}>{{/isText}}
    {{#isNumber}}<label for="{{id}}">{{label}}</label>
    <input id="{{id}}" name="{{name}}" value="{{value}}" inputmode="numeric" pattern="[0-9]*" maxlength="10"\
    {{#isRequired}} required{{/isRequired}}>{{/isNumber}}
    {{#isFile}}<label for="{{id}}">{{label}}</label>
    <input id="{{id}}" name="{{name}}" type="file" accept=".csv,text/csv"{{#isRequired}} required{{/isRequired}}>{{/isFile}}
    {{#isLines}}<label for="{{id}}">{{label}}</label>
    <textarea id="{{id}}" name="{{name}}" autocomplete="off" spellcheck="false"{{#isRequired}} required{{/isRequired}}>
    {{value}}</textarea>{{/isLines}}
    {{#isChoice}}<label for="{{id}}">{{label}}</label>
    <select id="{{id}}" name="{{name}}">{{#choices}}<option value="{{choice}}"{{#isChosen}} selected{{/isChosen}}>\
    {{shown}}</option>{{/choices}}</select>{{/isChoice}}
    """

  private static let plot = """
    <figure><figcaption>{{plotTitle}}</figcaption>
    <svg class="plot" role="img" aria-label="{{plotTitle}}" viewBox="0 0 {{width}} 100" preserveAspectRatio="none">
    {{#bars}}<rect class="good" x="{{x}}" y="{{goodY}}" width="8" height="{{goodHeight}}"/>\
    <rect class="refused" x="{{x}}" y="{{refusedY}}" width="8" height="{{refusedHeight}}"/>{{/bars}}</svg>
    {{#hasAxis}}<div class="axis" aria-hidden="true">{{#bars}}<span>{{label}}</span>{{/bars}}</div>{{/hasAxis}}
    <details><summary>{{asTable}}</summary>{{#table}}{{>table}}{{/table}}</details></figure>
    """
}

/// Escapes text for HTML, one Unicode scalar after the other.
///
/// The content type of the Mustache package compares characters, which may consist of several scalars: U+0600 with `<` is one
/// character, and so is `"` with U+0301. It would escape neither, but a browser reads scalars, and would see markup.
struct ScalarEscaping: MustacheContentType {
  /// What a text is for.
  ///
  /// The first line of a template contains the raw value.
  enum Use: String, CaseIterable {
    /// For people to read: hidden characters are made visible.
    case reading = "HTML-FOR-READING"
    /// Also for the browser, which must send the value back unchanged.
    case returning = "HTML-FOR-RETURNING"
  }

  let use: Use

  func escapeText(_ text: String) -> String {
    let text = use == .reading ? Text.marked(text, keepsLines: true) : text
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
