import Glibc
import HostSystem

/// The screen on which a pattern is drawn: what is asked, the grid, and how it is used.
struct PatternScreen: ~Copyable {
  private let terminal: CInt
  private let style: PatternStyle
  private let question: String
  private let mistake: String?
  private let help: String
  private var canvas: PatternCanvas
  private var buffer: ScreenBuffer

  /// Where the grid begins, from 1; nil while the window is too small for it.
  private(set) var origin: (column: Int, row: Int)?

  // Columns to the left of the grid.
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

  /// Whether everything fits into a window of that size.
  func fits(_ size: (columns: Int, rows: Int)) -> Bool {
    let rows = head(size.columns).count + style.layout.height + TextRows.wrapped(help, columns: size.columns).count + 2
    return rows <= size.rows && style.layout.width + Self.margin <= size.columns
  }

  /// Shows everything anew, for a window of that size.
  ///
  /// In a window too small for the grid there is one mask for each node: digits still work.
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

  /// Makes a sound.
  func refuse() { _ = DescriptorWriter.write([0x07], to: terminal) }

  private func head(_ columns: Int) -> [String] {
    var rows: [String] = []
    if let mistake { rows += TextRows.wrapped(mistake, columns: columns) }
    return rows + TextRows.wrapped(question, columns: columns)
  }

  /// A row of text; what was there goes away.
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
