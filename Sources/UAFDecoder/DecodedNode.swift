/// One line of a decoded message and what is indented below it.
struct DecodedNode: Equatable {
  let line: String
  var children: [DecodedNode] = []

  init(_ line: String, _ children: [DecodedNode] = []) {
    self.line = line
    self.children = children
  }

  /// The line and all below it, two spaces for each level.
  func lines(depth: Int = 0) -> [String] {
    [String(repeating: "  ", count: depth) + line] + children.flatMap { $0.lines(depth: depth + 1) }
  }
}
