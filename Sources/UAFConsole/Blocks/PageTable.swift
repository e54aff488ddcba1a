/// A table of a page.
struct PageTable: Equatable {
  let caption: String
  let columns: [String]
  let rows: [[PageCell]]
  /// What stands in place of a table without rows.
  let empty: String
  /// Where the next page of it is, and how that link is called; nil on the last one.
  var next: PageCell?

  /// As the template reads it.
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
