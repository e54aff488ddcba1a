/// One part of a page.
enum PageBlock: Equatable {
  case heading(String)
  case paragraph(String)
  /// A warning that must not be overlooked.
  case warning(String)
  case table(PageTable)
  case form(PageForm)
  case search(PageSearch)
  case facts([(name: String, value: String)])
  /// Facts whose values are more than texts.
  case details([(name: String, value: PageCell)])
  case plot(BarPlot)
  /// What needs attention, with a title; the text replaces an empty list.
  case notes([PageNote], title: String, empty: String)
  /// A text that is used elsewhere, with a label and the button that copies it; without a button for a text that is only read.
  case code(String, label: String, copy: CopyButton?)
  case picture(QRCode, label: String)
  /// A sheet that is printed on a page of its own.
  case sheet(EnrolmentSheet)
  /// A paragraph that is shown, but not printed.
  case aside(String)
  /// Filters of a list without a search.
  case chips([PageSearch.Chip], title: String)
  /// Links to related pages.
  case links([PageAction], title: String)
  /// A button for a passkey; the page gets the script for it.
  case passkey(PasskeyButton)

  static func == (first: PageBlock, second: PageBlock) -> Bool {
    String(describing: first) == String(describing: second)
  }

  /// The values for the template.
  func context(number: Int, csrf: String) -> [String: Any] {
    switch self {
    case .heading(let text): ["heading": ["text": text]]
    case .paragraph(let text): ["paragraph": ["text": text]]
    case .warning(let text): ["warning": ["text": text]]
    case .table(let table): ["table": table.context(csrf: csrf)]
    case .form(let form): ["form": form.context(number: number, csrf: csrf)]
    case .search(let search): ["search": search.context(number: number)]
    case .facts(let facts):
      [
        "facts": [
          "list": facts.map { ["fact": $0.name, "value": PageCell($0.value).context(column: "")] as [String: Any] }
        ]
      ]
    case .details(let facts):
      ["facts": ["list": facts.map { ["fact": $0.name, "value": $0.value.context(column: "")] as [String: Any] }]]
    case .plot(let plot): ["plot": plot.context]
    case .notes(let notes, let title, let empty):
      [
        "notes": ["notesTitle": title, "hasNotes": !notes.isEmpty, "list": notes.map(\.context), "nothing": empty]
          as [String: Any]
      ]
    case .code(let text, let label, let copy):
      ["code": ["text": text, "label": label, "copy": copy.map { $0.context as Any } ?? false] as [String: Any]]
    case .picture(let code, let label):
      ["picture": ["path": code.path, "side": code.side, "label": label] as [String: Any]]
    case .sheet(let sheet): ["sheet": sheet.context]
    case .aside(let text): ["aside": ["text": text]]
    case .chips(let chips, let title):
      [
        "chips": [
          "chipTitle": title,
          "list": chips.map { ["shown": $0.text, "href": $0.link, "isChosen": $0.isChosen] as [String: Any] },
        ] as [String: Any]
      ]
    case .links(let links, let title): ["links": ["linksTitle": title, "list": links.map(\.context)] as [String: Any]]
    case .passkey(let passkey): ["passkey": passkey.context(csrf: csrf)]
    }
  }
}

/// The button that copies a text; the page's script shows it, because nothing is copied without a script.
///
/// On a page with a form, texts with such a button come after the form: the Tab key reaches the page's own button first.
struct CopyButton: Equatable {
  let word: String
  /// The word on the button after it was pressed.
  let done: String

  init(_ language: PageLanguage) {
    word = language.text(.copy)
    done = language.text(.copied)
  }

  var context: [String: Any] { ["copyWord": word, "copiedWord": done] }
}
