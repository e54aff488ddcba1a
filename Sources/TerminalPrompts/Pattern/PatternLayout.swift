/// Where the nodes of the grid lie, in cells from the grid's top left one, which is (0, 0).
struct PatternLayout: Equatable {
  /// A node's width.
  let nodeWidth: Int
  /// A node's height: cells are about twice as high as wide.
  let nodeHeight: Int
  /// From one node to the next, in columns.
  let columnStep: Int
  /// From one node to the next, in rows.
  let rowStep: Int

  /// - Parameters:
  ///   - nodeSize: `node_size`, 1 to 7.
  ///   - characterWidth: the cells that the widest of the nodes' characters takes, 1 or 2.
  init(nodeSize: Int, characterWidth: Int) {
    nodeWidth = max(nodeSize, characterWidth)
    nodeHeight = nodeSize >= 5 ? 3 : 1
    columnStep = nodeWidth + 5
    rowStep = nodeHeight + 2
  }

  /// The grid's width, with a column on either side for the cursor.
  var width: Int { 2 * columnStep + nodeWidth + 2 }
  /// The grid's height.
  var height: Int { 2 * rowStep + nodeHeight }

  /// The first column of a node.
  func left(_ node: Int) -> Int { 1 + (node - 1) % 3 * columnStep }
  /// The first row of a node.
  func top(_ node: Int) -> Int { (node - 1) / 3 * rowStep }
  /// The middle of a node.
  func center(_ node: Int) -> (column: Int, row: Int) { (left(node) + nodeWidth / 2, top(node) + nodeHeight / 2) }

  /// The node at a cell, a column on either side included, so that a hand need not be too steady.
  func node(column: Int, row: Int) -> Int? {
    (1...9).first { node in
      (left(node) - 1...left(node) + nodeWidth).contains(column)
        && (top(node)..<top(node) + nodeHeight).contains(row)
    }
  }
}
