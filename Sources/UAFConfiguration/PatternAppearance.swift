/// `[pattern.appearance]`: how the grid is drawn.
public struct PatternAppearance: Equatable, Sendable {
  /// How thick a line is.
  public enum LineWidth: String, CaseIterable, Sendable {
    /// Thin box-drawing characters.
    case light
    /// Thick ones.
    case heavy
  }

  /// A node; nil for the built-in character.
  public internal(set) var nodeDefault: Character?
  /// A node that is part of the stroke.
  public internal(set) var nodeSelected: Character?
  /// A node of a wrong stroke.
  public internal(set) var nodeMismatch: Character?
  /// A node's width in cells, odd.
  public internal(set) var nodeSize = 1
  /// How thick a line is.
  public internal(set) var lineWidth = LineWidth.light
  /// A line's color, a name or #rrggbb; nil for the terminal's.
  public internal(set) var lineColor: String?
  /// A wrong line's.
  public internal(set) var mismatchLineColor: String?

  static var settings: [Setting<PatternAppearance>] {
    [
      .text("node_default", \.nodeDefault, allowed: AllowedText.characterWords, AllowedText.character),
      .text("node_selected", \.nodeSelected, allowed: AllowedText.characterWords, AllowedText.character),
      .text("node_mismatch", \.nodeMismatch, allowed: AllowedText.characterWords, AllowedText.character),
      Setting(name: "node_size") { value, section throws(SettingRefusal) in
        guard case .integer(let size) = value, [1, 3, 5, 7].contains(size) else {
          throw SettingRefusal(problem: "must be 1, 3, 5 or 7")
        }
        section.nodeSize = Int(size)
      },
      .choice("line_width", \.lineWidth),
      .text("line_color", \.lineColor, allowed: AllowedText.colorWords, AllowedText.color),
      .text("mismatch_line_color", \.mismatchLineColor, allowed: AllowedText.colorWords, AllowedText.color),
    ]
  }
}
