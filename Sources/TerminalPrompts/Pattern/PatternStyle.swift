/// The characters, colours and sizes of the grid.
package struct PatternStyle: Equatable {
  /// The characters of lines.
  struct Lines: Equatable {
    let horizontal, vertical, falling, rising, crossing, diagonalCrossing: String

    static let ascii = Lines(
      horizontal: "-", vertical: "|", falling: "\\", rising: "/", crossing: "+", diagonalCrossing: "X")
    static let light = Lines(
      horizontal: "─", vertical: "│", falling: "╲", rising: "╱", crossing: "┼", diagonalCrossing: "╳")
    // Unicode has no heavy diagonals.
    static let heavy = Lines(
      horizontal: "━", vertical: "┃", falling: "╲", rising: "╱", crossing: "╋", diagonalCrossing: "╳")
  }

  /// A node that is not part of the stroke.
  package let nodeDefault: String
  /// One that is.
  package let nodeSelected: String
  /// One of a wrong stroke.
  package let nodeMismatch: String
  let lines: Lines
  /// What makes a stroke coloured; empty for the terminal's own colour.
  let color: String
  /// What makes a wrong stroke coloured.
  let mismatchColor: String
  let layout: PatternLayout

  /// Without UTF-8 every character that is not ASCII is replaced by the built-in one; without colours there are none.
  ///
  /// - Parameters:
  ///   - nodes: a node, one of the stroke, and one of a wrong stroke; nil for the built-in character.
  ///   - nodeSize: a node's width in cells, odd.
  ///   - colours: a stroke's and a wrong stroke's, a name or #rrggbb; nil for the usual one.
  package init(
    nodes: (plain: Character?, selected: Character?, mismatch: Character?), nodeSize: Int, isHeavy: Bool,
    colours: (line: String?, mismatch: String?), isUTF8: Bool, usesColours: Bool
  ) {
    func node(_ configured: Character?, _ builtIn: String, _ ascii: String) -> String {
      guard let configured, isUTF8 || configured.isASCII else { return isUTF8 ? builtIn : ascii }
      return String(configured)
    }
    nodeDefault = node(nodes.plain, "○", "o")
    nodeSelected = node(nodes.selected, "●", "@")
    nodeMismatch = node(nodes.mismatch, "✕", "x")
    lines = !isUTF8 ? .ascii : isHeavy ? .heavy : .light
    color = usesColours ? Self.sequence(colours.line ?? "default") : ""
    mismatchColor = usesColours ? Self.sequence(colours.mismatch ?? "red") : ""
    let width = [nodeDefault, nodeSelected, nodeMismatch].map { CharacterWidth.columns($0) }.max() ?? 1
    layout = PatternLayout(nodeSize: nodeSize, characterWidth: min(max(width, 1), 2))
  }

  /// What selects a colour by name or as #rrggbb; empty for the terminal's own, and for what is neither.
  private static func sequence(_ color: String) -> String {
    if color.hasPrefix("#"), let value = UInt32(color.dropFirst(), radix: 16) {
      return "\u{1B}[38;2;\(value >> 16 & 0xFF);\(value >> 8 & 0xFF);\(value & 0xFF)m"
    }
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
    return names.firstIndex(of: color).map { "\u{1B}[3\($0)m" } ?? ""
  }
}
