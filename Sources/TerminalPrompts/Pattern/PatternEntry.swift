import SecretMemory

/// What becomes of a pattern, key by key and movement by movement.
///
/// No I/O: it says what is to be done.
struct PatternEntry: ~Copyable {
  /// What a key led to.
  enum Action: Equatable {
    /// Nothing to see.
    case none
    /// The grid looks different.
    case changed
    /// The key did nothing: the node was visited, or there is nothing to take off.
    case refused
    /// The entry is complete.
    case done
    /// The person gives up.
    case cancelled
    /// The person wants the program to stop for now.
    case suspended
  }

  /// The stroke as drawn so far or, as long as it is a mismatch, the wrong one before it.
  private(set) var stroke: PatternStroke
  /// Whether the last, wrong stroke is shown; the next key takes it away.
  private(set) var isMismatch: Bool
  /// The node the keyboard is at; nil as long as nobody used the arrows.
  private(set) var cursor: Int?

  private let keys: EditingKeys
  /// Where the mouse was, with its button down.
  private var lastCell: (column: Int, row: Int)?

  /// An empty entry, or one that shows what was wrong before.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  init(keys: EditingKeys, wrong: consuming PatternStroke? = nil) throws(TerminalError) {
    self.keys = keys
    isMismatch = wrong != nil
    stroke = if let wrong { wrong } else { try PatternStroke() }
  }

  /// Takes one key.
  ///
  /// - Parameters:
  ///   - layout: where the nodes are.
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

  /// The stroke.
  consuming func finish() -> PatternStroke { stroke }

  /// What ends the entry, whatever is shown.
  private func leaving(_ byte: UInt8) -> Action? {
    if keys.cancel.contains(byte) { return .cancelled }
    if keys.suspend == byte { return .suspended }
    // Enter that comes while the last stroke is looked at sends neither that one nor an empty one.
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

  /// The first arrow shows the cursor in the middle; at an edge it stays where it is.
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

  /// Pressing begins anew, releasing only stops: the stroke can be looked at, and Enter sends it.
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

  /// Every node on the way: a quick hand is reported in few places.
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
