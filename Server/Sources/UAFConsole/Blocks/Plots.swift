/// A plot of bars over time with two parts each: how many succeeded, and how many were refused.
///
/// It has an axis with numbers and one with labels; a table has the same numbers.
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

  /// The measures of the picture, in its own units.
  private static let (left, top, height, step) = (34, 8, 120, 20)
  /// Every how many bars the axis has a label.
  private static let labelled = 3

  /// The values on the axis of numbers: 0, and at most four others at equal distances.
  static func ticks(to highest: Int) -> [Int] {
    let wanted = max(highest, 1)
    var size = 1
    // 1, 2, 5, 10, 20, 50 ...
    let factors = [2, 5, 10]
    var (power, place) = (1, 0)
    while (wanted + size - 1) / size > 4, size < Int.max / 100 {
      size = power * factors[place]
      place += 1
      if place == factors.count { (power, place) = (power * 10, 0) }
    }
    let count = (wanted + size - 1) / size
    return (0...count).map { $0 * size }
  }

  /// The values for the template, both for the plot and for the table with the same numbers.
  var context: [String: Any] {
    let ticks = Self.ticks(to: bars.map { $0.good + $0.refused }.max() ?? 0)
    let highest = max(ticks.last ?? 1, 1)
    let bottom = Self.top + Self.height
    let width = Self.left + bars.count * Self.step + 6
    return [
      "plotTitle": title, "asTable": asTable, "width": width, "height": bottom + 24, "left": Self.left,
      "labelY": bottom + 17, "baseY": bottom,
      "goodWord": columns.dropFirst().first ?? "", "refusedWord": columns.dropFirst(2).first ?? "",
      "ticks": ticks.map { tick -> [String: Any] in
        let y = bottom - tick * Self.height / highest
        return ["tick": tick, "y": y, "textY": y + 4, "textX": Self.left - 6, "right": width]
      },
      "bars": bars.enumerated().map { index, bar -> [String: Any] in
        let good = bar.good * Self.height / highest
        let refused = bar.refused * Self.height / highest
        let x = Self.left + index * Self.step + 3
        return [
          "x": x, "barWidth": Self.step - 6, "goodY": bottom - good, "goodHeight": good,
          "refusedY": bottom - good - refused, "refusedHeight": refused, "label": bar.label,
          "middle": x + (Self.step - 6) / 2, "isLabelled": index.isMultiple(of: Self.labelled),
          "told": "\(bar.label): \(bar.good) / \(bar.refused)", "hoverX": x - 3, "hoverY": Self.top,
          "hoverWidth": Self.step, "hoverHeight": Self.height,
        ]
      },
      "table": PageTable(
        caption: title, columns: columns,
        rows: bars.map { [PageCell($0.label), PageCell(String($0.good)), PageCell(String($0.refused))] }, empty: "",
        hidesCaption: true
      ).context(csrf: ""),
    ]
  }
}

/// A row of things that need somebody's attention: how many, what they are, and where they are.
struct PageNote: Equatable {
  let count: String
  let text: String
  /// The page with the things; nil if there is nothing to open.
  let link: String?
  let tone: PageState.Tone
  let icon: Icon

  var context: [String: Any] {
    [
      "count": count, "text": text, "href": link ?? "", "isLink": link != nil, "tone": tone.rawValue,
      "iconPath": icon.path,
    ]
  }
}
