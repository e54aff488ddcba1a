/// One part of a page.
enum PageBlock: Equatable {
  case heading(String)
  case paragraph(String)
  /// What somebody must not overlook.
  case warning(String)
  case table(PageTable)
  case form(PageForm)
  case facts([(name: String, value: String)])
  case plot(BarPlot)
  /// A text to be copied, with what it is.
  case code(String, label: String)
  case picture(QRCode, label: String)
  /// What is on a sheet of paper of its own when the page is printed.
  case sheet(EnrolmentSheet)
  /// A paragraph that is not printed.
  case aside(String)

  static func == (first: PageBlock, second: PageBlock) -> Bool {
    String(describing: first) == String(describing: second)
  }

  /// As the template reads it.
  func context(number: Int, csrf: String) -> [String: Any] {
    switch self {
    case .heading(let text): ["heading": ["text": text]]
    case .paragraph(let text): ["paragraph": ["text": text]]
    case .warning(let text): ["warning": ["text": text]]
    case .table(let table): ["table": table.context]
    case .form(let form): ["form": form.context(number: number, csrf: csrf)]
    case .facts(let facts): ["facts": ["list": facts.map { ["fact": $0.name, "value": $0.value] }]]
    case .plot(let plot): ["plot": plot.context]
    case .code(let text, let label): ["code": ["text": text, "label": label]]
    case .picture(let code, let label):
      ["picture": ["path": code.path, "side": code.side, "label": label] as [String: Any]]
    case .sheet(let sheet): ["sheet": sheet.context]
    case .aside(let text): ["aside": ["text": text]]
    }
  }
}
