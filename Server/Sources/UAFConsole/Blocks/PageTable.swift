import FidoResults

/// A table of a page.
struct PageTable: Equatable {
  let caption: String
  let columns: [String]
  var rows: [[PageCell]]
  /// The text that replaces a table without rows: what is empty, and what to do.
  let empty: String
  /// A link to the first page of the table; nil on that page.
  var first: PageCell?
  /// A link to the next page of the table; nil on the last page.
  var next: PageCell?
  /// How many rows are shown; nil if the page does not count them.
  var count: String?
  /// The order of the rows that the reader has chosen, and the links that change it; nil if the order is fixed.
  var order: TableOrder?
  /// What can be done with several rows at once; nil for nothing.
  var picking: RowPicking?
  /// Whether the caption is only for screen readers, because the page's title says the same.
  var hidesCaption = false

  /// The values for the template.
  func context(csrf: String) -> [String: Any] {
    let sorted = order?.sorted(rows, columns) ?? Array(rows.enumerated())
    return [
      "caption": caption, "hidesCaption": hidesCaption, "hasRows": !rows.isEmpty, "empty": empty,
      "hasPages": first != nil || next != nil, "first": first?.text ?? "",
      "firstLink": first?.link ?? "",
      "hasFirst": first != nil, "hasNext": next != nil, "next": next?.text ?? "",
      "nextLink": next?.link ?? "",
      "hasCount": count != nil,
      "count": count ?? "", "picking": picking.map { $0.context(csrf: csrf) as Any } ?? false,
      "columns": columns.enumerated().map { index, column in order?.heading(index, column) ?? Self.fixed(column) },
      "rows": sorted.map { index, row -> [String: Any] in
        [
          "pick": picking.map { $0.context(row: index) as Any } ?? false,
          "cells": zip(row, columns).map { cell, column in cell.context(column: column, csrf: csrf) },
        ]
      },
    ]
  }

  private static func fixed(_ column: String) -> [String: Any] {
    ["heading": column, "isSortable": false, "sortLink": "", "isSorted": false, "direction": ""]
  }
}

/// The order of a table's rows, which a link in each heading changes.
///
/// Either the store reads the whole list in this order, or only the rows of the page are sorted.
struct TableOrder: Equatable {
  /// The field of the query with the number of the column, or with the name of the order; a minus sign before it means
  /// descending.
  static let name = "sort"

  /// The column by which the rows are sorted, from 0; nil for the order in which they were read.
  let column: Int?
  let isDescending: Bool
  /// The page with its search, without the order.
  let page: String
  /// The name of the order of each column, if the store sorts the list; nil if the rows of the page are sorted.
  private let names: [String?]?

  /// - Parameters:
  ///   - text: the field of the query; anything but a column's number means no order.
  ///   - columns: how many columns the table has.
  init(_ text: String, columns: Int, page: String) {
    let number = Int(text).map { Int($0.magnitude) } ?? 0
    column = (1...columns).contains(number) ? number - 1 : nil
    isDescending = text.hasPrefix("-")
    self.page = page
    names = nil
  }

  /// The order of a list that the store sorts.
  ///
  /// - Parameters:
  ///   - text: the field of the query.
  ///   - names: the name of the order of each column; nil for a column by which nothing is sorted.
  init(_ text: String, names: [String?], page: String) {
    let name = text.hasPrefix("-") ? String(text.dropFirst()) : text
    column = name.isEmpty ? nil : names.firstIndex(of: name)
    isDescending = text.hasPrefix("-")
    self.page = page
    self.names = names
  }

  /// The rows in this order, each with its place in the order in which they were read.
  func sorted(_ rows: [[PageCell]], _ columns: [String]) -> [(Int, [PageCell])] {
    let numbered = rows.enumerated().map { ($0.offset, $0.element) }
    guard let column, names == nil else { return numbered }
    return numbered.sorted { first, second in
      guard column < first.1.count, column < second.1.count else { return first.0 < second.0 }
      let (left, right) = (first.1[column].sortKey, second.1[column].sortKey)
      if left == right { return first.0 < second.0 }
      return isDescending ? right < left : left < right
    }
  }

  func heading(_ index: Int, _ text: String) -> [String: Any] {
    let isSorted = index == column
    let name = names.map { index < $0.count ? $0[index] : nil } ?? String(index + 1)
    let value = (isSorted && !isDescending ? "-" : "") + (name ?? "")
    return [
      "heading": text, "isSortable": !text.isEmpty && name != nil, "isSorted": isSorted,
      "direction": isDescending ? "descending" : "ascending",
      "sortLink": page + (page.contains("?") ? "&" : "?") + "\(Self.name)=\(value)",
    ]
  }
}

/// What can be done with several rows of a table at once.
struct RowPicking: Equatable {
  /// The name of a row's field, with the row's number after it.
  static let name = "pick"
  /// The most rows that can be picked at once: a page has no more.
  static let most = 50

  /// A step that can be done with the picked rows.
  struct Button: Equatable {
    let path: String
    let text: String
    var isDangerous = false
  }

  /// The value of each row and the label of its box, in the order in which they were read.
  let rows: [(value: String, label: String)]
  let buttons: [Button]
  /// What the buttons are for.
  let title: String

  static func == (first: RowPicking, second: RowPicking) -> Bool {
    first.rows.map(\.value) == second.rows.map(\.value) && first.buttons == second.buttons
      && first.title == second.title
  }

  func context(csrf: String) -> [String: Any] {
    [
      "pickAction": buttons.first?.path ?? "", "pickTitle": title, "csrf": csrf,
      "buttons": buttons.map {
        ["formAction": $0.path, "shown": $0.text, "isDangerous": $0.isDangerous] as [String: Any]
      },
    ]
  }

  func context(row: Int) -> [String: Any] {
    guard row < rows.count else { return ["pickName": "", "pickValue": "", "pickLabel": ""] }
    return [
      "pickName": "\(Self.name)\(row)", "pickValue": rows[row].value, "pickLabel": Text.marked(rows[row].label),
    ]
  }

  /// The values that a form has picked.
  static func picked(_ fields: FormFields) -> [String] {
    (0..<most).compactMap { fields["\(name)\($0)"].isEmpty ? nil : fields["\(name)\($0)"] }
  }
}

/// One cell of a table, or one value of a list of facts.
struct PageCell: Equatable, ExpressibleByStringInterpolation {
  enum Kind: Equatable {
    case text
    /// A point in time: the text is the exact time in the reader's zone.
    case time(PageTime)
    /// A state; the text says more about it.
    case state(PageState)
    /// A long identifier, which is shown shortened.
    case id(CopyButton)
    /// Usable and other parts of a whole, as a bar.
    case bar(good: Int, other: Int, of: Int)
    /// A button that does something at once; the text is on the button.
    case button(action: String, field: PageField)
    /// The usual actions on the row.
    case actions([PageAction], title: String)
    /// Several links, one after the other.
    case links([PageAction])
  }

  let text: String
  /// The target of the link; nil for plain text.
  var link: String?
  var kind = Kind.text
  /// A short text below, such as who did it and why.
  var note = ""

  init(stringLiteral text: String) { self.text = text }

  init(_ text: String, link: String? = nil, kind: Kind = .text, note: String = "") {
    self.text = text
    self.link = link
    self.kind = kind
    self.note = note
  }

  /// By what a table sorts its rows: numbers and times by their size, texts by their characters.
  var sortKey: SortKey {
    switch kind {
    case .time(let time): SortKey(number: Double(time.seconds), text: "")
    case .bar(let good, let other, _): SortKey(number: Double(good + other), text: "")
    case .state(let state): SortKey(number: nil, text: state.word)
    default: SortKey(number: Double(text), text: text.lowercased())
    }
  }

  struct SortKey: Comparable {
    let number: Double?
    let text: String

    static func < (first: SortKey, second: SortKey) -> Bool {
      switch (first.number, second.number) {
      case (let left?, let right?): left < right
      // Empty cells and words come after numbers.
      case (.some, nil): true
      case (nil, .some): false
      case (nil, nil): first.text < second.text
      }
    }
  }

  /// The values for the template.
  ///
  /// - Parameter csrf: the session's token against cross-site request forgery, for a button.
  func context(column: String, csrf: String = "") -> [String: Any] {
    var context: [String: Any] = [
      "column": column, "text": text, "link": link ?? "", "isLink": link != nil, "isPlain": false, "moment": false,
      "badge": false, "identifier": false, "share": false, "menu": false, "press": false, "several": false,
      "hasNote": !note.isEmpty, "note": note,
    ]
    switch kind {
    case .text: context["isPlain"] = link == nil
    case .time(let time):
      context["isLink"] = false
      context["moment"] = time.context
    case .state(let state): context["badge"] = state.context
    case .id(let copy):
      context["identifier"] = ["short": Self.shortened(text), "whole": text, "copy": copy.context] as [String: Any]
    case .bar(let good, let other, let whole):
      let scale = max(whole, 1)
      context["share"] = ["good": good * 100 / scale, "goodEnd": good * 100 / scale, "rest": other * 100 / scale]
    case .button(let action, let field):
      context["press"] =
        [
          "pressAction": action, "csrf": csrf, "field": field.context(id: ""), "shown": text,
        ] as [String: Any]
    case .actions(let actions, let title):
      context["menu"] = ["menuTitle": title, "actions": actions.map(\.context)]
    case .links(let links): context["several"] = ["actions": links.map(\.context)]
    }
    return context
  }

  /// The first and last characters of a long identifier.
  static func shortened(_ text: String) -> String {
    text.unicodeScalars.count > 20
      ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(8))) + "…"
        + String(String.UnicodeScalarView(text.unicodeScalars.suffix(4)))
      : text
  }
}
