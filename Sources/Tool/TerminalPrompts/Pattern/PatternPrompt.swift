import Glibc
import HostSystem

/// Prompts for patterns on the grid.
package struct PatternPrompt: ~Copyable {
  private let terminal: CInt
  /// The last pattern, shown again if it was wrong.
  private var lastStroke: PatternStroke?

  /// - Parameter terminal: the terminal's descriptor, which still belongs to the caller.
  package init(_ terminal: CInt) { self.terminal = terminal }

  /// Lets the person draw a pattern; returns nil if the window is too small for the grid.
  ///
  /// The text of the prompt stays on the terminal's first screen, and the grid does not.
  ///
  /// - Throws: ``TerminalError``.
  package mutating func draw(
    _ question: PatternQuestion, _ style: PatternStyle
  ) throws(TerminalError) -> TerminalEntry? {
    var screen = try PatternScreen(
      terminal, style: style, question: question.text, mistake: question.mistake, help: question.help)
    guard screen.fits(AlternateScreen.size(of: terminal)) else { return nil }
    var wrong = question.isRepeated ? lastStroke.take() : nil
    lastStroke = nil
    while true {
      let outcome = try read(on: &screen, style.layout, wrong: wrong.take())
      switch consume outcome {
      case .interrupted(let number): raise(number)
      case .stroke(let stroke):
        _ = DescriptorWriter.write(Array((question.text + "\n").utf8), to: terminal)
        lastStroke = try PatternStroke(copying: stroke)
        return .value(stroke.finish())
      case .cancelled: return .cancelled
      }
    }
  }

  private enum PatternOutcome: ~Copyable {
    case stroke(PatternStroke)
    case cancelled
    case interrupted(CInt)
  }

  private func read(
    on screen: inout PatternScreen, _ layout: PatternLayout, wrong: consuming PatternStroke?
  ) throws(TerminalError) -> PatternOutcome {
    var session = try TerminalSession(terminal, alternate: true)
    var entry = try PatternEntry(keys: session.keys, wrong: wrong)
    screen.paint(entry, AlternateScreen.size(of: terminal))
    while true {
      let action: PatternEntry.Action
      switch try session.next() {
      case .signal(SIGWINCH): action = .changed
      case .signal(SIGINT), .end: action = .cancelled
      case .signal(let number): return .interrupted(number)
      case .key(let key): action = entry.received(key, layout: layout, origin: screen.origin)
      }
      switch action {
      case .none: break
      case .changed: screen.paint(entry, AlternateScreen.size(of: terminal))
      case .refused: screen.refuse()
      case .done: return .stroke(entry.finish())
      case .cancelled: return .cancelled
      case .suspended: return .interrupted(SIGTSTP)
      }
    }
  }
}

/// The texts above and below the grid, already cleaned for a terminal.
package struct PatternQuestion {
  /// The text of the prompt.
  package let text: String
  /// What was wrong with the last pattern, unless the text names it.
  package let mistake: String?
  /// How the grid is used.
  package let help: String
  /// Whether the last pattern was wrong; it is then shown again.
  package let isRepeated: Bool

  /// - Parameters:
  ///   - text: the text of the prompt.
  ///   - mistake: what was wrong with the last pattern, unless the text names it.
  ///   - help: how the grid is used.
  ///   - isRepeated: whether the last pattern was wrong, so that it is shown.
  package init(text: String, mistake: String?, help: String, isRepeated: Bool) {
    self.text = text
    self.mistake = mistake
    self.help = help
    self.isRepeated = isRepeated
  }
}

/// The screen on which a pattern is drawn: the text of the prompt, the grid, and its explanation.
struct PatternScreen: ~Copyable {
  private let terminal: CInt
  private let style: PatternStyle
  private let question: String
  private let mistake: String?
  private let help: String
  private var canvas: PatternCanvas
  private var buffer: ScreenBuffer

  /// The cell of the terminal where the grid begins, from 1; nil while the window is too small for it.
  private(set) var origin: (column: Int, row: Int)?

  // The number of columns to the left of the grid.
  private static let margin = 2

  /// - Throws: ``TerminalError/outOfMemory``.
  init(
    _ terminal: CInt, style: PatternStyle, question: String, mistake: String?, help: String
  ) throws(TerminalError) {
    let canvas = try PatternCanvas(style)
    buffer = try ScreenBuffer()
    self.canvas = canvas
    self.terminal = terminal
    self.style = style
    self.question = question
    self.mistake = mistake
    self.help = help
  }

  /// Whether texts and grid fit into a window of that size.
  func fits(_ size: (columns: Int, rows: Int)) -> Bool {
    let rows = head(size.columns).count + style.layout.height + TextRows.wrapped(help, columns: size.columns).count + 2
    return rows <= size.rows && style.layout.width + Self.margin <= size.columns
  }

  /// Draws the whole screen again, for a window of that size.
  ///
  /// In a window too small for the grid it shows one mask for each node: the pattern can still be entered as digits.
  mutating func paint(_ entry: borrowing PatternEntry, _ size: (columns: Int, rows: Int)) {
    let fits = fits(size)
    let head = head(size.columns)
    var row = 0
    for line in fits ? head : Array(head.suffix(max(0, size.rows - 1))) {
      row += 1
      place(line, row)
    }
    origin = fits ? (Self.margin + 1, row + 2) : nil
    if fits {
      place("", row + 1)
      drawGrid(entry, at: row + 2)
      row += style.layout.height + 2
      place("", row)
      for line in TextRows.wrapped(help, columns: size.columns) {
        row += 1
        place(line, row)
      }
    } else {
      place(String(repeating: EntryForm.mask, count: entry.stroke.count), row + 1)
    }
    buffer.append("\u{1B}[J")
    buffer.flush(to: terminal)
  }

  /// Sounds the terminal's bell.
  func refuse() { _ = DescriptorWriter.write([0x07], to: terminal) }

  private func head(_ columns: Int) -> [String] {
    var rows: [String] = []
    if let mistake { rows += TextRows.wrapped(mistake, columns: columns) }
    return rows + TextRows.wrapped(question, columns: columns)
  }

  /// Shows a row of text in place of the earlier one.
  private mutating func place(_ line: String, _ row: Int) {
    buffer.append("\u{1B}[\(row);1H\u{1B}[K")
    buffer.append(line)
  }

  private mutating func drawGrid(_ entry: borrowing PatternEntry, at top: Int) {
    canvas.draw(entry.stroke, isMismatch: entry.isMismatch, cursor: entry.cursor, on: &buffer) { line, buffer in
      buffer.append("\u{1B}[\(top + line);1H\u{1B}[K" + String(repeating: " ", count: Self.margin))
    }
  }
}
