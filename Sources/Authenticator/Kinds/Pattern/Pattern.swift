// Purpose: the strokes of the pattern authenticator: which entries are strokes, and the one form of each. Nothing here
// draws or asks.

import FidoResults
import SecretMemory

/// A stroke over the 3x3 grid: its nodes as digits, 1 top left to 9 bottom right, row by row.
///
/// Each node is in it once. A line that passes over a node not yet visited adds it: 13 is 123. So a stroke has one
/// canonical form, and the seal is made with it.
public enum Pattern {
  /// What `min_nodes` may be, counted in the canonical form; no shorter pattern can be set.
  public static let minimumNodesRange = 4...9

  /// Patterns of the fewest nodes that can be set: `minComplexity` of the metadata statement.
  ///
  /// Of all lengths there are 389,112.
  public static let shortestCount: UInt32 = 1624

  /// The canonical form of an entry, in memory of its own.
  ///
  /// - Returns: nil for an entry that could never have been set: another character than 1 to 9, a node visited before,
  ///   fewer nodes than ``minimumNodesRange`` begins with; nil too if there is no memory.
  public static func canonical(_ entry: borrowing Secret) -> Secret? {
    guard var stroke = try? Secret(capacity: nodeCount) else { return nil }
    // SAFETY: `append` gives each node once, so never more than the capacity.
    unsafe stroke.refill { buffer in
      var count = 0
      let isStroke = entry.withBytes { bytes in
        canonicalise(bytes) { node in
          unsafe buffer[count] = UInt8(ascii: "0") + node
          count += 1
        }
      }
      return isStroke ? count : 0
    }
    guard stroke.count >= minimumNodesRange.lowerBound else { return nil }
    return stroke
  }

  /// What is wrong with a new pattern; empty if it may be set.
  ///
  /// - Parameter minimumNodes: the fewest nodes, those passed over included.
  public static func problems(with entry: borrowing Secret, minimumNodes: Int) -> [RuleText] {
    guard entry.count > 0 else { return [.empty] }
    let isOfNodes = entry.withBytes { bytes in
      bytes.indices.allSatisfy { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[$0]) }
    }
    // For any other entry the intended number of nodes is unknown.
    guard isOfNodes else { return [.nodesOnly] }
    var count = 0
    let isStroke = entry.withBytes { bytes in canonicalise(bytes) { _ in count += 1 } }
    var problems: [RuleText] = isStroke ? [] : [.nodeTwice]
    if entry.count < minimumNodes, count < minimumNodes { problems.append(.minimumNodes(minimumNodes)) }
    return problems
  }

  /// Gives each node of the canonical form to `append`, in order, as a number from 1 to 9.
  ///
  /// - Returns: whether the entry is a stroke; if not, the nodes appended so far have no meaning.
  static func canonicalise(_ entry: Span<UInt8>, append: (UInt8) -> Void) -> Bool {
    var visited: UInt16 = 0
    var last: UInt8?
    for index in entry.indices {
      let (node, below) = entry[index].subtractingReportingOverflow(UInt8(ascii: "0"))
      guard !below, (1...9).contains(node), visited & bit(node) == 0 else { return false }
      if let passed = last.flatMap({ between($0, node) }), visited & bit(passed) == 0 {
        visited |= bit(passed)
        append(passed)
      }
      visited |= bit(node)
      append(node)
      last = node
    }
    return true
  }

  private static let nodeCount = 9

  private static func bit(_ node: UInt8) -> UInt16 { 1 << UInt16(node) }

  /// The node halfway between two, if the line passes over one.
  private static func between(_ first: UInt8, _ second: UInt8) -> UInt8? {
    let (rows, columns) = ((first - 1) / 3 + (second - 1) / 3, (first - 1) % 3 + (second - 1) % 3)
    guard rows % 2 == 0, columns % 2 == 0 else { return nil }
    return rows / 2 * 3 + columns / 2 + 1
  }
}
