import Glibc
import SecretMemory

/// Draws the grid: makes lines of text from a stroke.
///
/// No I/O. The cells are in memory that wipes itself, because they show the stroke.
struct PatternCanvas: ~Copyable {
  // The bits of a cell's contents: a cell can contain lines in several directions.
  private static let horizontal: UInt8 = 1
  private static let vertical: UInt8 = 2
  private static let falling: UInt8 = 4
  private static let rising: UInt8 = 8
  private static let cursorStart: UInt8 = 0x10
  private static let cursorEnd: UInt8 = 0x20
  // A node; the lower bits are its number.
  private static let node: UInt8 = 0x80

  private let style: PatternStyle
  private let layout: PatternLayout
  private var cells: Secret

  /// - Throws: ``TerminalError/outOfMemory``.
  init(_ style: PatternStyle) throws(TerminalError) {
    self.style = style
    layout = style.layout
    let count = layout.width * layout.height
    // SAFETY: nothing is written: the pages are fresh, and so zero.
    guard let cells = unsafe try? Secret(count: count, filledBy: { _ in }) else { throw .outOfMemory }
    self.cells = cells
  }

  /// Draws `stroke`, either as it is drawn or as a wrong one, with a cursor around a node.
  ///
  /// - Parameter line: called before each line with the line's number, from 0; it moves to where the line is to be shown.
  mutating func draw(
    _ stroke: borrowing PatternStroke, isMismatch: Bool, cursor: Int?, on screen: inout ScreenBuffer,
    line: (Int, inout ScreenBuffer) -> Void = { number, screen in if number > 0 { screen.append("\n") } }
  ) {
    clear()
    for index in 0..<max(0, stroke.count - 1) { connect(stroke[index], stroke[index + 1]) }
    for node in 1...9 { place(node) }
    if let cursor {
      let row = layout.center(cursor).row
      set(layout.left(cursor) - 1, row, Self.cursorStart)
      set(layout.left(cursor) + layout.nodeWidth, row, Self.cursorEnd)
    }
    for row in 0..<layout.height {
      line(row, &screen)
      write(row, stroke, isMismatch, on: &screen)
    }
  }

  // MARK: Cells

  private mutating func clear() {
    let count = cells.count
    // SAFETY: the whole of the buffer is written.
    unsafe cells.refill { buffer in
      for index in 0..<count { unsafe buffer[index] = 0 }
      return count
    }
  }

  private func cell(_ column: Int, _ row: Int) -> UInt8 { cells.withBytes { $0[row * layout.width + column] } }

  private mutating func set(_ column: Int, _ row: Int, _ value: UInt8, over others: Bool = true) {
    guard (0..<layout.width).contains(column), (0..<layout.height).contains(row) else { return }
    let index = row * layout.width + column
    // SAFETY: both coordinates were checked, so the index lies inside of the buffer.
    unsafe cells.withUnsafeMutableBytes { buffer in
      if others { unsafe buffer[index] = value } else { unsafe buffer[index] |= value }
    }
  }

  private mutating func place(_ node: Int) {
    for row in layout.top(node)..<layout.top(node) + layout.nodeHeight {
      for column in layout.left(node)..<layout.left(node) + layout.nodeWidth {
        set(column, row, Self.node | UInt8(truncatingIfNeeded: node))
      }
    }
  }

  /// Draws a line from the middle of one node to that of another; the nodes are later drawn over it.
  private mutating func connect(_ first: Int, _ second: Int) {
    let (start, end) = (layout.center(first), layout.center(second))
    let (columns, rows) = (end.column - start.column, end.row - start.row)
    if rows == 0 {
      for column in min(start.column, end.column)...max(start.column, end.column) {
        set(column, start.row, Self.horizontal, over: false)
      }
      return
    }
    let direction = columns == 0 ? Self.vertical : (columns > 0) == (rows > 0) ? Self.falling : Self.rising
    // If the line crosses more than three columns in each row, a horizontal part to either side closes the gaps.
    let isShallow = abs(columns) > 3 * abs(rows)
    for step in 1..<abs(rows) {
      let row = start.row + step * rows.signum()
      let column = start.column + Self.rounded(columns * step, by: abs(rows))
      set(column, row, direction, over: false)
      guard isShallow else { continue }
      set(column - 1, row, Self.horizontal, over: false)
      set(column + 1, row, Self.horizontal, over: false)
    }
  }

  /// The quotient, rounded to the nearest whole number.
  private static func rounded(_ number: Int, by divisor: Int) -> Int {
    (2 * number + (number < 0 ? -divisor : divisor)) / (2 * divisor)
  }

  // MARK: Text

  private func write(
    _ row: Int, _ stroke: borrowing PatternStroke, _ isMismatch: Bool, on screen: inout ScreenBuffer
  ) {
    let color = isMismatch ? style.mismatchColor : style.color
    var end = layout.width
    while end > 0, cell(end - 1, row) == 0 { end -= 1 }
    var (column, isColored) = (0, false)
    while column < end {
      let value = cell(column, row)
      let drawn = text(value, at: column, stroke, isMismatch)
      if drawn.isOfStroke != isColored, !color.isEmpty {
        screen.append(drawn.isOfStroke ? color : "\u{1B}[0m")
        isColored = drawn.isOfStroke
      }
      screen.append(drawn.text)
      column += max(1, CharacterWidth.columns(drawn.text))
    }
    if isColored { screen.append("\u{1B}[0m") }
  }

  /// The text of a cell, and whether it is drawn in the stroke's colour.
  private func text(
    _ value: UInt8, at column: Int, _ stroke: borrowing PatternStroke, _ isMismatch: Bool
  ) -> (text: String, isOfStroke: Bool) {
    if value & Self.node != 0 {
      let node = Int(value & 0x0F)
      let isSelected = stroke.contains(node)
      let text = isSelected ? isMismatch ? style.nodeMismatch : style.nodeSelected : style.nodeDefault
      // A wide character that does not fit into the rest of the node is left out.
      let left = layout.left(node) + layout.nodeWidth - column
      return (CharacterWidth.columns(text) > left ? " " : text, isSelected)
    }
    switch value {
    case 0: return (" ", false)
    case Self.cursorStart: return ("[", false)
    case Self.cursorEnd: return ("]", false)
    case Self.horizontal: return (style.lines.horizontal, true)
    case Self.vertical: return (style.lines.vertical, true)
    case _ where value & (Self.falling | Self.rising) == Self.falling | Self.rising:
      return (style.lines.diagonalCrossing, true)
    case _ where value & Self.falling != 0: return (style.lines.falling, true)
    case _ where value & Self.rising != 0: return (style.lines.rising, true)
    default: return (style.lines.crossing, true)
    }
  }
}

/// The characters, colours and sizes of the grid.
package struct PatternStyle: Equatable {
  /// The characters of which lines are drawn.
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
  /// A node of the stroke.
  package let nodeSelected: String
  /// A node of a wrong stroke.
  package let nodeMismatch: String
  let lines: Lines
  /// The sequence that colours a stroke; empty for the terminal's own colour.
  let color: String
  /// The sequence that colours a wrong stroke.
  let mismatchColor: String
  let layout: PatternLayout

  /// Without UTF-8, built-in characters replace all that are not ASCII.
  ///
  /// Without colours, nothing is coloured.
  ///
  /// - Parameters:
  ///   - nodes: the characters of a node, of a node of the stroke, and of a node of a wrong stroke; nil for the built-in
  ///     character.
  ///   - nodeSize: a node's width in cells, odd.
  ///   - colours: the colours of a stroke and of a wrong stroke, each a name or #rrggbb; nil for the default.
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

  /// The sequence that selects a colour by name or as #rrggbb; empty for the terminal's own colour, and for an unknown name.
  private static func sequence(_ color: String) -> String {
    if color.hasPrefix("#"), let value = UInt32(color.dropFirst(), radix: 16) {
      return "\u{1B}[38;2;\(value >> 16 & 0xFF);\(value >> 8 & 0xFF);\(value & 0xFF)m"
    }
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
    return names.firstIndex(of: color).map { "\u{1B}[3\($0)m" } ?? ""
  }
}

/// The text that is about to be shown.
///
/// A picture of a stroke reveals the stroke, so this memory is wiped too.
struct ScreenBuffer: ~Copyable {
  private var bytes: Secret
  /// How many bytes are in use.
  private(set) var count = 0

  // 200 rows of 80 characters of four bytes; text beyond that is not shown.
  private static let capacity = 65_536

  /// - Throws: ``TerminalError/outOfMemory``.
  init() throws(TerminalError) {
    // SAFETY: nothing is written: the pages are fresh, and so zero.
    guard let bytes = unsafe try? Secret(count: Self.capacity, filledBy: { _ in }) else { throw .outOfMemory }
    self.bytes = bytes
  }

  /// Adds text at the end.
  mutating func append(_ text: String) {
    guard count + text.utf8.count <= Self.capacity else { return }
    var position = count
    // SAFETY: there is room for all of the text.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      for byte in text.utf8 {
        unsafe buffer[position] = byte
        position += 1
      }
    }
    count = position
  }

  /// Lends the bytes that were added.
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    bytes.withBytes { body($0.extracting(0..<count)) }
  }

  /// Writes everything and wipes it.
  mutating func flush(to descriptor: CInt) {
    let count = count
    // SAFETY: the bytes from `offset` on, up to `count`, are the buffer's.
    unsafe bytes.withUnsafeBytes { buffer in
      var offset = 0
      while offset < count {
        let written = unsafe write(descriptor, buffer.baseAddress.map { unsafe $0 + offset }, count - offset)
        if written > 0 { offset += written } else if written == 0 || errno != EINTR { return }
      }
    }
    // SAFETY: the whole buffer is ours.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      for index in 0..<count { unsafe buffer[index] = 0 }
    }
    self.count = 0
  }
}
