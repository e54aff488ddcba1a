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
      ("page", page, .reading), ("nav", nav, .reading), ("head", head, .reading), ("table", table, .reading),
      ("cell", cell, .reading), ("form", form, .reading), ("field", field, .returning), ("search", search, .reading),
      ("box", box, .returning),
      ("pick", pick, .returning), ("copy", copy, .reading), ("plot", plot, .reading), ("notes", notes, .reading),
      ("block", block, .reading),
      ("sheet", sheet, .reading), ("sheets", sheets, .reading),
    ]
    for (name, text, use) in templates {
      try library.register("{{% CONTENT_TYPE:\(use.rawValue)}}" + text, named: name)
    }
    return library
  }

  private static let page = """
    <!doctype html>
    <html lang="{{language}}" data-now="{{now}}"{{#hasChosenZone}} data-zone="chosen"{{/hasChosenZone}}>
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{title}} - uaf-server</title>
    <link rel="stylesheet" href="{{style}}">
    {{#comfort}}<script src="{{comfortPath}}" defer></script>
    {{/comfort}}{{#script}}<script src="{{path}}" defer></script>
    {{/script}}</head>
    <body{{#hasMenu}} class="framed"{{/hasMenu}}>
    <a class="skip" href="#main">{{skip}}</a>
    <div class="side"><header>
    <p class="name">uaf-server</p>
    <nav class="languages" aria-label="{{languageLabel}}"><ul>
    {{#languages}}<li><a lang="{{code}}" hreflang="{{code}}" href="{{href}}"\
    {{#isCurrent}} aria-current="true"{{/isCurrent}}>{{shown}}</a></li>
    {{/languages}}</ul></nav>
    {{#session}}<form method="post" action="/console/sign-out"><input type="hidden" name="csrf" value="{{csrf}}">
    <span class="who">{{who}}</span> <button class="plain">{{signOut}}</button></form>{{/session}}
    </header>
    {{#hasMenu}}{{>nav}}{{/hasMenu}}</div>
    <div class="page"><main id="main" tabindex="-1">
    {{>head}}
    {{#hasNotice}}<p class="notice" role="status">{{notice}}</p>{{/hasNotice}}
    {{#blocks}}{{>block}}{{/blocks}}
    </main>
    {{#zone}}<footer><p>{{zoneText}} <a href="/console/about">{{zoneChange}}</a></p></footer>{{/zone}}</div>
    </body>
    </html>

    """

  private static let nav = """
    <search class="anywhere"><form method="get" action="/console/people">{{#anywhere}}<label class="unseen" for="{{boxId}}">{{boxLabel}}</label>
    {{>box}}<button class="second" aria-label="{{boxLabel}}"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true">\
    <path d="{{searchIcon}}"/></svg></button>{{/anywhere}}</form></search>
    <nav class="places" aria-label="{{menuLabel}}"><ul>
    {{#places}}<li{{#isHere}} class="here"{{/isHere}}>\
    <a href="{{placeLink}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>\
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{{iconPath}}"/></svg><span>{{shown}}</span></a>
    {{#hasPages}}<ul class="pages">
    {{#pages}}<li><a href="{{href}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{shown}}</a></li>
    {{/pages}}</ul>{{/hasPages}}</li>
    {{/places}}</ul></nav>
    """

  private static let head = """
    {{#back}}<p class="back"><a href="{{backLink}}">{{backText}}</a></p>{{/back}}
    <div class="head"><div><h1>{{title}}</h1>
    {{#head}}{{#hasSubtitle}}<p class="subtitle">{{subtitle}}</p>{{/hasSubtitle}}\
    {{#states}}<span class="state {{tone}}"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true">\
    <path d="{{iconPath}}"/></svg>{{word}}</span> {{/states}}{{/head}}</div>
    {{#head}}<div class="steps">\
    {{#primary}}<a class="button" href="{{href}}">{{#hasIcon}}<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">\
    <path d="{{iconPath}}"/></svg>{{/hasIcon}}{{shown}}</a>{{/primary}}
    {{#hasMore}}<details class="more"><summary>{{moreWord}}</summary><ul>
    {{#more}}<li><a href="{{href}}">{{shown}}</a></li>
    {{/more}}{{#dangerous}}<li class="danger"><a href="{{href}}">{{shown}}</a></li>
    {{/dangerous}}</ul></details>{{/hasMore}}</div>{{/head}}</div>
    """

  private static let block = """
    {{#heading}}<h2>{{text}}</h2>{{/heading}}
    {{#paragraph}}<p>{{text}}</p>{{/paragraph}}
    {{#aside}}<p class="screen">{{text}}</p>{{/aside}}
    {{#warning}}<p class="notice">{{text}}</p>{{/warning}}
    {{#table}}{{>table}}{{/table}}
    {{#form}}{{>form}}{{/form}}
    {{#search}}{{>search}}{{/search}}
    {{#notes}}{{>notes}}{{/notes}}
    {{#facts}}<dl>{{#list}}<div><dt>{{fact}}</dt><dd>{{#value}}{{>cell}}{{/value}}</dd></div>{{/list}}</dl>{{/facts}}
    {{#plot}}{{>plot}}{{/plot}}
    {{#chips}}<nav class="chips" aria-label="{{chipTitle}}"><ul>
    {{#list}}<li><a href="{{href}}"{{#isChosen}} aria-current="true"{{/isChosen}}>{{shown}}</a></li>
    {{/list}}</ul></nav>{{/chips}}
    {{#links}}<nav class="links" aria-label="{{linksTitle}}"><ul>
    {{#list}}<li><a href="{{href}}">{{shown}}</a></li>{{/list}}</ul></nav>{{/links}}
    {{#code}}<section class="code" aria-label="{{label}}"><p>{{label}}</p>
    <pre tabindex="0" aria-label="{{label}}" role="region">{{text}}</pre>{{#copy}}{{>copy}}{{/copy}}</section>{{/code}}
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
    <div class="beside"><div>{{#hasCode}}<h3>{{sheetCode}}</h3>
    <p class="typed">{{sheetCharacters}}</p>{{/hasCode}}
    <dl>{{#sheetFacts}}<div><dt>{{fact}}</dt><dd><bdi>{{value}}</bdi></dd></div>{{/sheetFacts}}</dl></div>
    {{#hasPicture}}<svg class="qr" role="img" aria-label="{{sheetPicture}}" viewBox="0 0 {{side}} {{side}}">
    <rect class="light" width="{{side}}" height="{{side}}"/><path class="dark" d="{{path}}"/></svg>{{/hasPicture}}
    {{^hasPicture}}<p>{{sheetNoPicture}}</p>{{/hasPicture}}</div>
    <ol>{{#hasCode}}<li>{{sheetEnter}}<pre class="command">{{sheetEntry}}</pre></li>
    {{/hasCode}}<li>{{sheetSave}} {{sheetRun}}<pre class="command">{{sheetCommand}}</pre></li>
    <li>{{sheetAfter}}</li></ol>
    <h3>{{sheetLineTitle}}</h3>
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
    {{#hasRows}}{{#picking}}<form class="picking" method="post" action="{{pickAction}}">
    <input type="hidden" name="csrf" value="{{csrf}}">{{/picking}}
    <div class="table" tabindex="0" role="region" aria-label="{{caption}}">
    <table><caption{{#hidesCaption}} class="unseen"{{/hidesCaption}}>{{caption}}</caption>
    <thead><tr>{{#picking}}<th scope="col" class="pick"><span class="unseen">{{pickTitle}}</span></th>{{/picking}}\
    {{#columns}}<th scope="col"{{#isSorted}} aria-sort="{{direction}}"{{/isSorted}}>\
    {{#isSortable}}<a href="{{sortLink}}">{{heading}}</a>{{/isSortable}}{{^isSortable}}{{heading}}{{/isSortable}}</th>\
    {{/columns}}</tr></thead>
    <tbody>{{#rows}}<tr>{{#pick}}<td class="pick">{{>pick}}</td>{{/pick}}\
    {{#cells}}<td data-column="{{column}}">{{>cell}}</td>{{/cells}}</tr>
    {{/rows}}</tbody></table></div>
    {{#picking}}<p class="bulk"><span>{{pickTitle}}</span>\
    {{#buttons}}<button formaction="{{formAction}}" class="{{#isDangerous}}danger {{/isDangerous}}second">{{shown}}</button> \
    {{/buttons}}</p></form>{{/picking}}{{/hasRows}}
    {{^hasRows}}{{^hidesCaption}}<h2>{{caption}}</h2>{{/hidesCaption}}<p class="empty">{{empty}}</p>{{/hasRows}}
    {{#hasCount}}<p class="count">{{count}}</p>{{/hasCount}}
    {{#hasPages}}<p class="turn">{{#hasFirst}}<a href="{{firstLink}}">{{first}}</a> {{/hasFirst}}\
    {{#hasNext}}<a rel="next" href="{{nextLink}}">{{next}}</a>{{/hasNext}}</p>{{/hasPages}}
    """

  private static let pick = """
    <input type="checkbox" name="{{pickName}}" value="{{pickValue}}" aria-label="{{pickLabel}}">
    """

  private static let copy = """
    <button type="button" class="copy plain" data-done="{{copiedWord}}" hidden>{{copyWord}}</button>
    """

  private static let cell = """
    {{#badge}}<span class="state {{tone}}"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true">\
    <path d="{{iconPath}}"/></svg>{{word}}</span>{{/badge}}\
    {{#moment}}<time datetime="{{machine}}" title="{{utc}}"><span>{{exact}}</span> <small>{{distance}}</small></time>{{/moment}}\
    {{#identifier}}<div class="id"><details><summary>{{short}}</summary><code>{{whole}}</code></details>\
    {{#copy}}{{>copy}}{{/copy}}</div>{{/identifier}}\
    {{#share}}<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">\
    <rect class="back" width="100" height="8"/><rect class="good" width="{{good}}" height="8"/>\
    <rect class="refused" x="{{goodEnd}}" width="{{rest}}" height="8"/></svg>{{/share}}\
    {{#press}}<form class="press" method="post" action="{{pressAction}}"><input type="hidden" name="csrf" value="{{csrf}}">\
    {{#field}}{{>field}}{{/field}}<button class="second danger">{{shown}}</button></form>{{/press}}\
    {{#menu}}<details class="row"><summary aria-label="{{menuTitle}}">⋯</summary><ul>\
    {{#actions}}<li><a href="{{href}}">{{shown}}</a></li>{{/actions}}</ul></details>{{/menu}}\
    {{#several}}<ul class="several">{{#actions}}<li><a href="{{href}}">{{shown}}</a></li>{{/actions}}</ul>{{/several}}\
    {{#isLink}}<a href="{{link}}">{{text}}</a>{{/isLink}}{{#isPlain}}{{text}}{{/isPlain}}\
    {{#hasNote}}<small class="note">{{note}}</small>{{/hasNote}}
    """

  private static let search = """
    <search><form id="{{boxId}}-form" class="find" method="get" action="{{action}}"{{#isLive}} data-live{{/isLive}}>
    {{#kept}}{{>field}}{{/kept}}
    <div class="box"><label for="{{boxId}}">{{boxLabel}}</label>
    {{>box}}
    <button class="second"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{{searchIcon}}"/></svg>\
    {{button}}</button></div>
    {{#hasMore}}<details{{#isOpen}} open{{/isOpen}}><summary>{{moreTitle}}</summary><div class="fields">
    {{#fields}}<div>{{>field}}</div>{{/fields}}</div></details>{{/hasMore}}</form>
    {{#hasChips}}<nav class="chips" aria-label="{{chipTitle}}"><ul>
    {{#chips}}<li><a href="{{href}}"{{#isChosen}} aria-current="true"{{/isChosen}}>{{shown}}</a></li>
    {{/chips}}</ul></nav>{{/hasChips}}</search>
    """

  private static let box = """
    <input id="{{boxId}}" name="{{boxName}}" value="{{boxValue}}" type="search" maxlength="{{boxMaximum}}"\
     placeholder="{{boxHint}}" autocomplete="off" spellcheck="false">
    """

  private static let notes = """
    <section class="notes"><h2>{{notesTitle}}</h2>
    {{#hasNotes}}<ul>{{#list}}<li class="{{tone}}">{{#isLink}}<a href="{{href}}">{{/isLink}}\
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{{iconPath}}"/></svg>\
    <span>{{text}}</span> <strong>{{count}}</strong>{{#isLink}}</a>{{/isLink}}</li>
    {{/list}}</ul>{{/hasNotes}}{{^hasNotes}}<p class="empty">{{nothing}}</p>{{/hasNotes}}</section>
    """

  private static let form = """
    <form id="{{id}}" method="{{method}}" action="{{action}}"{{#isBare}} class="bare"{{/isBare}}\
    {{#isUpload}} enctype="multipart/form-data"{{/isUpload}}>
    <fieldset><legend{{#isBare}} class="unseen"{{/isBare}}>{{formTitle}}</legend>
    {{#isPost}}<input type="hidden" name="csrf" value="{{csrf}}">{{/isPost}}
    {{#fields}}{{>field}}{{/fields}}
    <button{{#isDangerous}} class="danger"{{/isDangerous}}{{#isQuiet}} class="second"{{/isQuiet}}>{{button}}</button>
    {{#hasCancel}}<a class="cancel" href="{{cancelLink}}">{{cancel}}</a>{{/hasCancel}}
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
    {{#isLength}}<div class="length" role="group" aria-labelledby="{{id}}-name"><label id="{{id}}-name" for="{{id}}">{{label}}</label>
    <input id="{{id}}" name="{{name}}" value="{{value}}" inputmode="numeric" pattern="[0-9]*" maxlength="10"\
    {{#isRequired}} required{{/isRequired}}>
    <select name="{{unitName}}" aria-labelledby="{{id}}-name">{{#choices}}<option value="{{choice}}"{{#isChosen}} selected{{/isChosen}}>\
    {{shown}}</option>{{/choices}}</select></div>{{/isLength}}
    {{#isFile}}<label for="{{id}}">{{label}}</label>
    <input id="{{id}}" name="{{name}}" type="file" accept=".csv,text/csv"{{#isRequired}} required{{/isRequired}}>{{/isFile}}
    {{#isLines}}<label for="{{id}}">{{label}}</label>
    <textarea id="{{id}}" name="{{name}}" autocomplete="off" spellcheck="false"{{#isRequired}} required{{/isRequired}}>
    {{value}}</textarea>{{/isLines}}
    {{#isChoice}}<label for="{{id}}">{{label}}</label>
    <select id="{{id}}" name="{{name}}">{{#choices}}<option value="{{choice}}"{{#isChosen}} selected{{/isChosen}}>\
    {{shown}}</option>{{/choices}}</select>{{/isChoice}}
    {{#hasHint}}<p class="hint">{{hint}}</p>{{/hasHint}}
    """

  private static let plot = """
    <figure><figcaption>{{plotTitle}}</figcaption>
    <p class="key" aria-hidden="true"><span class="good">{{goodWord}}</span> <span class="refused">{{refusedWord}}</span></p>
    <svg class="plot" role="img" aria-label="{{plotTitle}}" viewBox="0 0 {{width}} {{height}}">
    {{#ticks}}<path class="line" d="M{{left}} {{y}}H{{right}}"/><text x="{{textX}}" y="{{textY}}" text-anchor="end">{{tick}}</text>{{/ticks}}
    {{#bars}}<g><title>{{told}}</title><rect class="hover" x="{{hoverX}}" y="{{hoverY}}" width="{{hoverWidth}}" height="{{hoverHeight}}"/>\
    <rect class="good" x="{{x}}" y="{{goodY}}" width="{{barWidth}}" height="{{goodHeight}}"/>\
    <rect class="refused" x="{{x}}" y="{{refusedY}}" width="{{barWidth}}" height="{{refusedHeight}}"/></g>\
    {{#isLabelled}}<text x="{{middle}}" y="{{labelY}}" text-anchor="middle">{{label}}</text>{{/isLabelled}}{{/bars}}</svg>
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
