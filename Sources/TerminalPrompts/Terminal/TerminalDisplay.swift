/// What a terminal can show, and what its owner wants to see.
package struct TerminalDisplay {
  /// Whether it can do no more than write lines (`TERM=dumb`, or none).
  package var isDumb = true
  /// Whether it shows more than ASCII.
  package var isUTF8 = false
  /// Whether colours are wanted.
  package var usesColours = false

  /// A terminal that can do no more than write lines of ASCII, unless said otherwise.
  package init(isDumb: Bool = true, isUTF8: Bool = false, usesColours: Bool = false) {
    self.isDumb = isDumb
    self.isUTF8 = isUTF8
    self.usesColours = usesColours
  }
}
