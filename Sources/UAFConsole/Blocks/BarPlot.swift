/// Bars, each of two parts: how many of each went well and how many were refused.
struct BarPlot: Equatable {
  struct Bar: Equatable {
    let label: String
    let good: Int
    let refused: Int
  }

  let title: String
  /// How the table with its numbers is called.
  let asTable: String
  let columns: [String]
  let bars: [Bar]
  /// Whether the bars' labels stand below them, for bars that are few and no row of times.
  var hasAxis = false

  private static let height = 100

  /// As the template reads it; the table beside it has the same numbers.
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
