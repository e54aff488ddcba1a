import SecretMemory

/// The state of a pattern entry, changed key by key and movement by movement.
///
/// No I/O: it returns what the caller should do.
struct PatternEntry: ~Copyable {
  /// The effect of a key.
  enum Action: Equatable {
    /// The key changed nothing that is visible.
    case none
    /// The grid has to be drawn again.
    case changed
    /// The key did nothing: the stroke already has the node, or there is nothing to remove.
    case refused
    /// The entry is complete.
    case done
    /// The person gives up.
    case cancelled
    /// The person wants to suspend the program.
    case suspended
  }

  /// The stroke that is shown: the one being drawn or, while ``isMismatch``, the wrong one of the entry before.
  private(set) var stroke: PatternStroke
  /// Whether the wrong stroke of the entry before is still shown; the next key removes it.
  private(set) var isMismatch: Bool
  /// The node on which the keyboard's cursor is; nil until an arrow key is pressed.
  private(set) var cursor: Int?

  private let keys: EditingKeys
  /// The last cell in which the mouse was with its button down; nil while the button is up.
  private var lastCell: (column: Int, row: Int)?

  /// An empty entry, or one that shows the wrong stroke of the entry before.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  init(keys: EditingKeys, wrong: consuming PatternStroke? = nil) throws(TerminalError) {
    self.keys = keys
    isMismatch = wrong != nil
    stroke = if let wrong { wrong } else { try PatternStroke() }
  }

  /// Processes one key.
  ///
  /// - Parameters:
  ///   - layout: the positions of the nodes.
  ///   - origin: the cell of the terminal where the grid begins, from 1; nil while no grid is shown.
  mutating func received(
    _ key: Key, layout: PatternLayout, origin: (column: Int, row: Int)?
  ) -> Action {
    if case .byte(let byte) = key, let action = leaving(byte) { return action }
    let wasMismatch = isMismatch
    forgetMismatch()
    let action = edit(key, layout: layout, origin: origin)
    return wasMismatch && [.none, .refused].contains(action) ? .changed : action
  }

  /// Gives away the stroke.
  consuming func finish() -> PatternStroke { stroke }

  /// The action of a key that ends or suspends the entry, whatever is shown; nil for another key.
  private func leaving(_ byte: UInt8) -> Action? {
    if keys.cancel.contains(byte) { return .cancelled }
    if keys.suspend == byte { return .suspended }
    // While the wrong stroke of the entry before is shown, Enter sends nothing.
    return (byte == 0x0A || byte == 0x0D) && !isMismatch ? .done : nil
  }

  private mutating func forgetMismatch() {
    guard isMismatch else { return }
    stroke.removeAll()
    isMismatch = false
  }

  private mutating func edit(
    _ key: Key, layout: PatternLayout, origin: (column: Int, row: Int)?
  ) -> Action {
    switch key {
    case .up: move(-3)
    case .down: move(3)
    case .left: move(-1)
    case .right: move(1)
    case .mouse(let event): origin.map { follow(event, layout, $0) } ?? .none
    case .byte(UInt8(ascii: "1")...UInt8(ascii: "9")): draw(to: key)
    case .byte(UInt8(ascii: " ")): select()
    case .byte(let byte) where keys.erase.contains(byte): stroke.removeLast() ? .changed : .refused
    case .byte(let byte) where keys.kill.contains(byte): removeAll()
    case .byte, .other: .refused
    }
  }

  private mutating func draw(to key: Key) -> Action {
    guard case .byte(let digit) = key else { return .refused }
    return stroke.append(Int(digit) - 0x30) ? .changed : .refused
  }

  private mutating func select() -> Action {
    let node = cursor ?? Self.middle
    cursor = node
    return stroke.append(node) ? .changed : .refused
  }

  private mutating func removeAll() -> Action {
    guard stroke.count > 0 else { return .refused }
    stroke.removeAll()
    return .changed
  }

  /// Moves the cursor.
  ///
  /// The first arrow shows it in the middle, and at an edge it does not move.
  private mutating func move(_ step: Int) -> Action {
    guard let node = cursor else {
      cursor = Self.middle
      return .changed
    }
    let next = node + step
    let staysInRow = abs(step) == 3 || (next - 1) / 3 == (node - 1) / 3
    guard (1...9).contains(next), staysInRow else { return .refused }
    cursor = next
    return .changed
  }

  private static let middle = 5

  /// Pressing the button starts a new stroke.
  ///
  /// Releasing it only ends the drawing: the person can check the stroke, and Enter sends it.
  private mutating func follow(
    _ event: MouseEvent, _ layout: PatternLayout, _ origin: (column: Int, row: Int)
  ) -> Action {
    let cell = (column: event.column - origin.column, row: event.row - origin.row)
    switch event.kind {
    case .press:
      guard layout.node(column: cell.column, row: cell.row) != nil else { return .none }
      stroke.removeAll()
      lastCell = cell
      return visit(from: cell, to: cell, layout)
    case .drag:
      guard let last = lastCell else { return .none }
      lastCell = cell
      return visit(from: last, to: cell, layout)
    case .release:
      lastCell = nil
      return .none
    }
  }

  /// Visits every node between two cells: if the hand is quick, a terminal reports only a few cells on its way.
  private mutating func visit(
    from start: (column: Int, row: Int), to end: (column: Int, row: Int), _ layout: PatternLayout
  ) -> Action {
    let (columns, rows) = (end.column - start.column, end.row - start.row)
    let steps = max(1, abs(columns), abs(rows))
    var action = Action.none
    for step in 0...steps {
      let (column, row) = (start.column + columns * step / steps, start.row + rows * step / steps)
      guard let node = layout.node(column: column, row: row), stroke.append(node) else { continue }
      action = .changed
    }
    return action
  }
}

/// The positions of the grid's nodes, in cells from the grid's top left cell, which is (0, 0).
struct PatternLayout: Equatable {
  /// A node's width in cells.
  let nodeWidth: Int
  /// A node's height in cells, which are about twice as high as wide.
  let nodeHeight: Int
  /// The distance from one node to the next, in columns.
  let columnStep: Int
  /// The distance from one node to the next, in rows.
  let rowStep: Int

  /// - Parameters:
  ///   - nodeSize: `node_size`, 1 to 7.
  ///   - characterWidth: how many cells the widest of the nodes' characters takes, 1 or 2.
  init(nodeSize: Int, characterWidth: Int) {
    nodeWidth = max(nodeSize, characterWidth)
    nodeHeight = nodeSize >= 5 ? 3 : 1
    columnStep = nodeWidth + 5
    rowStep = nodeHeight + 2
  }

  /// The grid's width in cells, with one column on each side for the cursor.
  var width: Int { 2 * columnStep + nodeWidth + 2 }
  /// The grid's height in cells.
  var height: Int { 2 * rowStep + nodeHeight }

  /// The first column of a node.
  func left(_ node: Int) -> Int { 1 + (node - 1) % 3 * columnStep }
  /// The first row of a node.
  func top(_ node: Int) -> Int { (node - 1) / 3 * rowStep }
  /// The middle of a node.
  func center(_ node: Int) -> (column: Int, row: Int) { (left(node) + nodeWidth / 2, top(node) + nodeHeight / 2) }

  /// The node at a cell.
  ///
  /// One column on each side of a node belongs to it too, so that the mouse need not hit it exactly.
  func node(column: Int, row: Int) -> Int? {
    (1...9).first { node in
      (left(node) - 1...left(node) + nodeWidth).contains(column)
        && (top(node)..<top(node) + nodeHeight).contains(row)
    }
  }
}

/// A stroke over the 3x3 grid while it is drawn: its nodes, numbered row by row from 1 at the top left, in memory that wipes
/// itself.
package struct PatternStroke: ~Copyable {
  private var digits: Secret

  /// An empty stroke.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  init() throws(TerminalError) {
    guard let digits = try? Secret(capacity: Self.nodeCount) else { throw .outOfMemory }
    self.digits = digits
  }

  /// A copy of a stroke.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  init(copying other: borrowing PatternStroke) throws(TerminalError) {
    try self.init()
    for index in 0..<other.count { insert(other[index]) }
  }

  /// How many nodes the stroke has.
  package var count: Int { digits.count }

  /// The node at a position of the stroke.
  package subscript(index: Int) -> Int { digits.withBytes { Int($0[index]) - 0x30 } }

  /// Whether a node is part of the stroke.
  package func contains(_ node: Int) -> Bool { (0..<count).contains { self[$0] == node } }

  /// Extends the stroke to a node.
  ///
  /// If the line to it passes over a node that is not part of the stroke yet, that node is added first.
  ///
  /// - Returns: false if there is no such node, or the stroke already has it; then nothing is changed.
  package mutating func append(_ node: Int) -> Bool {
    guard (1...Self.nodeCount).contains(node), !contains(node) else { return false }
    if count > 0, let passed = Self.between(self[count - 1], node), !contains(passed) { insert(passed) }
    insert(node)
    return true
  }

  /// Removes the last node.
  ///
  /// - Returns: false if the stroke has no nodes.
  package mutating func removeLast() -> Bool {
    let kept = count - 1
    guard kept >= 0 else { return false }
    // SAFETY: what stays is not touched, and refill wipes what lies beyond it.
    unsafe digits.refill { _ in kept }
    return true
  }

  /// Removes every node.
  mutating func removeAll() { digits.wipe() }

  /// The nodes of the stroke as digits.
  package consuming func finish() -> Secret { digits }

  private mutating func insert(_ node: Int) {
    let count = count
    // SAFETY: a node is inserted once at most, so there is room for one more.
    unsafe digits.refill { buffer in
      unsafe buffer[count] = UInt8(truncatingIfNeeded: 0x30 + node)
      return count + 1
    }
  }

  private static let nodeCount = 9

  /// The node half way between two nodes, if there is one.
  private static func between(_ first: Int, _ second: Int) -> Int? {
    let rows = (first - 1) / 3 + (second - 1) / 3
    let columns = (first - 1) % 3 + (second - 1) % 3
    return rows % 2 == 0 && columns % 2 == 0 ? rows / 2 * 3 + columns / 2 + 1 : nil
  }
}
