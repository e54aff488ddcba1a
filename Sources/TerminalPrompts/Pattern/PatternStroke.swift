import SecretMemory

/// A stroke over the 3x3 grid while it is drawn: its nodes, 1 at the top left, row by row, in memory that wipes itself.
package struct PatternStroke: ~Copyable {
  private var digits: Secret

  /// An empty stroke.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  init() throws(TerminalError) {
    guard let digits = try? Secret(capacity: Self.nodeCount) else { throw .outOfMemory }
    self.digits = digits
  }

  /// A copy.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  init(copying other: borrowing PatternStroke) throws(TerminalError) {
    try self.init()
    for index in 0..<other.count { insert(other[index]) }
  }

  /// How many nodes it has.
  package var count: Int { digits.count }

  /// The node at a position.
  package subscript(index: Int) -> Int { digits.withBytes { Int($0[index]) - 0x30 } }

  /// Whether a node is part of it.
  package func contains(_ node: Int) -> Bool { (0..<count).contains { self[$0] == node } }

  /// Draws on to a node, and takes along the one the line passes over if it was not visited yet.
  ///
  /// - Returns: false if there is no such node, or it was visited; nothing is changed then.
  package mutating func append(_ node: Int) -> Bool {
    guard (1...Self.nodeCount).contains(node), !contains(node) else { return false }
    if count > 0, let passed = Self.between(self[count - 1], node), !contains(passed) { insert(passed) }
    insert(node)
    return true
  }

  /// Takes the last node off.
  ///
  /// - Returns: false if there is none.
  package mutating func removeLast() -> Bool {
    let kept = count - 1
    guard kept >= 0 else { return false }
    // SAFETY: what stays is not touched, and refill wipes what lies beyond it.
    unsafe digits.refill { _ in kept }
    return true
  }

  /// Takes every node off.
  mutating func removeAll() { digits.wipe() }

  /// The nodes as digits.
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

  /// The node half way between two, if there is one.
  private static func between(_ first: Int, _ second: Int) -> Int? {
    let rows = (first - 1) / 3 + (second - 1) / 3
    let columns = (first - 1) % 3 + (second - 1) % 3
    return rows % 2 == 0 && columns % 2 == 0 ? rows / 2 * 3 + columns / 2 + 1 : nil
  }
}
