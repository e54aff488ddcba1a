/// What a terminal can show, and what its owner wants to see.
struct TerminalDisplay {
  /// Whether it can do no more than write lines (`TERM=dumb`, or none).
  var isDumb = true
  /// Whether it shows more than ASCII.
  var isUTF8 = false
  /// Whether colours are wanted.
  var usesColours = false
}
