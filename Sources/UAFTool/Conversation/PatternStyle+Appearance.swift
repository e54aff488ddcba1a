import TerminalPrompts
import UAFConfiguration

extension PatternStyle {
  /// The style that `[pattern.appearance]` asks for, as far as the terminal can show it.
  init(_ appearance: PatternAppearance, isUTF8: Bool, usesColours: Bool) {
    self.init(
      nodes: (appearance.nodeDefault, appearance.nodeSelected, appearance.nodeMismatch),
      nodeSize: appearance.nodeSize, isHeavy: appearance.lineWidth == .heavy,
      colours: (appearance.lineColor, appearance.mismatchLineColor), isUTF8: isUTF8, usesColours: usesColours)
  }
}
