/// One part of a page.
enum PageBlock: Equatable {
  case heading(String)
  case paragraph(String)
  /// A warning that must not be overlooked.
  case warning(String)
  case table(PageTable)
  case form(PageForm)
  case facts([(name: String, value: String)])
  case plot(BarPlot)
  /// A text to be copied, with a label.
  case code(String, label: String)
  case picture(QRCode, label: String)
  /// A sheet that is printed on a page of its own.
  case sheet(EnrolmentSheet)
  /// A paragraph that is shown, but not printed.
  case aside(String)
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
    case .table(let table): ["table": table.context]
    case .form(let form): ["form": form.context(number: number, csrf: csrf)]
    case .facts(let facts): ["facts": ["list": facts.map { ["fact": $0.name, "value": $0.value] }]]
    case .plot(let plot): ["plot": plot.context]
    case .code(let text, let label): ["code": ["text": text, "label": label]]
    case .picture(let code, let label):
      ["picture": ["path": code.path, "side": code.side, "label": label] as [String: Any]]
    case .sheet(let sheet): ["sheet": sheet.context]
    case .aside(let text): ["aside": ["text": text]]
    case .passkey(let passkey): ["passkey": passkey.context(csrf: csrf)]
    }
  }
}

/// A table of a page.
struct PageTable: Equatable {
  let caption: String
  let columns: [String]
  let rows: [[PageCell]]
  /// The text that replaces a table without rows.
  let empty: String
  /// A link to the next page of the table; nil on the last page.
  var next: PageCell?

  /// The values for the template.
  var context: [String: Any] {
    [
      "caption": caption, "columns": columns, "hasRows": !rows.isEmpty, "empty": empty, "hasNext": next != nil,
      "next": next?.text ?? "", "nextLink": next?.link ?? "",
      "rows": rows.map { row -> [String: Any] in
        [
          "cells": zip(row, columns).map { cell, column -> [String: Any] in
            ["text": cell.text, "link": cell.link ?? "", "isLink": cell.link != nil, "column": column]
          }
        ]
      },
    ]
  }
}

/// One cell of a table.
struct PageCell: Equatable, ExpressibleByStringInterpolation {
  let text: String
  /// The target of the link; nil for plain text.
  var link: String?

  init(stringLiteral text: String) { self.text = text }

  init(_ text: String, link: String? = nil) {
    self.text = text
    self.link = link
  }
}

/// A form of a page.
struct PageForm: Equatable {
  let title: String
  let action: String
  let button: String
  var fields: [PageField] = []
  /// Whether the form only opens a page, and so is sent with GET.
  var isSearch = false
  /// Whether the form removes something, so that its button is marked.
  var isDangerous = false
  /// Whether the form uploads a file.
  var isUpload = false

  /// The values for the template.
  ///
  /// - Parameters:
  ///   - number: a number that is unique on the page.
  ///   - csrf: the session's token against cross-site request forgery.
  func context(number: Int, csrf: String) -> [String: Any] {
    [
      "formTitle": title, "id": "form-\(number)", "action": action, "button": button, "isDangerous": isDangerous,
      "isPost": !isSearch, "isUpload": isUpload, "method": isSearch ? "get" : "post", "csrf": csrf,
      "fields": fields.enumerated().map { $1.context(id: "field-\(number)-\($0)") },
    ]
  }
}

/// One field of a form.
struct PageField: Equatable {
  enum Kind: Equatable {
    case text
    case number
    /// A text of several lines.
    case lines
    case file
    case hidden
    /// A choice between values, each with its text on the page.
    case choice([(value: String, text: String)])

    static func == (first: Kind, second: Kind) -> Bool {
      switch (first, second) {
      case (.text, .text), (.number, .number), (.lines, .lines), (.file, .file), (.hidden, .hidden):
        true
      case (.choice(let first), .choice(let second)): first.map(\.value) == second.map(\.value)
      default: false
      }
    }
  }

  let name: String
  let label: String
  var kind = Kind.text
  var value = ""
  var isRequired = false
  /// The longest value, in characters.
  var maximum = 500

  static func hidden(_ name: String, _ value: String) -> PageField {
    PageField(name: name, label: "", kind: .hidden, value: value)
  }

  /// The values for the template.
  ///
  /// - Parameter id: an ID that is unique on the page.
  func context(id: String) -> [String: Any] {
    var context: [String: Any] = [
      "id": id, "name": name, "label": label, "value": value, "isRequired": isRequired, "maximum": maximum,
      "isText": kind == .text, "isNumber": kind == .number, "isLines": kind == .lines,
      "isFile": kind == .file, "isHidden": kind == .hidden, "isChoice": false, "choices": [[String: Any]](),
    ]
    if case .choice(let choices) = kind {
      context["isChoice"] = true
      context["choices"] = choices.map { choice -> [String: Any] in
        ["choice": choice.value, "shown": choice.text, "isChosen": choice.value == value]
      }
    }
    return context
  }
}

/// A plot of bars with two parts each: how many succeeded, and how many were refused.
struct BarPlot: Equatable {
  struct Bar: Equatable {
    let label: String
    let good: Int
    let refused: Int
  }

  let title: String
  /// The title of the table with the same numbers.
  let asTable: String
  let columns: [String]
  let bars: [Bar]
  /// Whether the labels are shown below the bars, which is useful for a few bars that are not a series of times.
  var hasAxis = false

  private static let height = 100

  /// The values for the template, both for the plot and for the table with the same numbers.
  var context: [String: Any] {
    let top = max(bars.map { $0.good + $0.refused }.max() ?? 0, 1)
    return [
      "plotTitle": title, "asTable": asTable, "width": bars.count * 10, "hasAxis": hasAxis,
      "bars": bars.enumerated().map { index, bar -> [String: Any] in
        let good = bar.good * Self.height / top
        let refused = bar.refused * Self.height / top
        return [
          "x": index * 10 + 1, "goodY": Self.height - good, "goodHeight": good,
          "refusedY": Self.height - good - refused,
          "refusedHeight": refused, "label": bar.label,
        ]
      },
      "table": PageTable(
        caption: title, columns: columns,
        rows: bars.map { [PageCell($0.label), PageCell(String($0.good)), PageCell(String($0.refused))] }, empty: ""
      ).context,
    ]
  }
}
