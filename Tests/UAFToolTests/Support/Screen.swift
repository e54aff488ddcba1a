/// What a terminal of 80 by 24 cells shows after it has received some text.
///
/// It knows the control sequences that uafctl uses.
struct Screen {
  private var rows = Screen.blank
  private var kept: [[Character]]?
  private var (row, column) = (0, 0)

  private static let blank = [[Character]](repeating: [Character](repeating: " ", count: 80), count: 24)

  /// Whether the alternate screen is shown.
  var isAlternate: Bool { kept != nil }

  /// The lines, without trailing white space and without empty lines at the end.
  var text: String {
    var lines = rows.map { row in
      String(row).replacing(#/ +$/#, with: "")
    }
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  init(_ text: String = "") { show(text) }

  mutating func show(_ text: String) {
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}": obey(&rest)
      case "\r": column = 0
      case "\n": row = min(row + 1, 23)
      case "\u{8}": column = max(0, column - 1)
      case "\u{7}": break
      default:
        rows[row][min(column, 79)] = Character(scalar)
        column += 1
      }
    }
  }

  private mutating func obey(_ rest: inout Substring.UnicodeScalarView) {
    guard rest.popFirst() == "[" else { return }
    var parameters = ""
    while let scalar = rest.popFirst() {
      guard (0x40...0x7E).contains(scalar.value) else {
        parameters.unicodeScalars.append(scalar)
        continue
      }
      command(Character(scalar), parameters)
      return
    }
  }

  private mutating func command(_ final: Character, _ parameters: String) {
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    switch (final, parameters) {
    case ("H", _): (row, column) = ((numbers.first ?? 1) - 1, (numbers.count > 1 ? numbers[1] : 1) - 1)
    case ("K", _): for index in column..<80 { rows[row][index] = " " }
    case ("J", "2"): rows = Self.blank
    case ("J", _):
      command("K", "")
      for index in row + 1..<24 { rows[index] = Self.blank[0] }
    case ("h", "?1049"): (kept, rows) = (rows, Self.blank)
    case ("l", "?1049"): if let kept { (rows, self.kept) = (kept, nil) }
    default: break
    }
  }
}
