import FidoResults
import SecretMemory

extension AuthenticatorType {
  /// The pattern: a stroke over the 3x3 grid.
  public static let pattern = AuthenticatorType(
    rawValue: "pattern", aaid: "5541#0002", aaguid: "0f66c1c9-5024-4a39-b6a7-9f993084d3c1", userVerification: 0x80,
    // The weakest pattern that can be configured: the one with the fewest nodes.
    accuracy: .pattern(minimumComplexity: Pattern.shortestCount),
    kind: .pattern,
    entry: TypedEntry(
      check: "pattern", legend: ["1 2 3", "4 5 6", "7 8 9"], spokenLegend: .patternKeys,
      canonical: { Pattern.canonical($0) }),
    defaultRules: { PatternEntryRules() }, defaultLock: .localDefault, isEnabledByDefault: true)
}

extension ValueKind {
  /// A pattern.
  public static let pattern = ValueKind(english: "pattern", korean: "패턴")
}

/// What root requires of the entries of patterns.
public struct PatternEntryRules: EntryRules {
  /// Fewest nodes of a new pattern, those passed over included.
  public var minimumNodes: Int

  /// The fewest nodes if root has configured nothing.
  public static let defaultMinimumNodes = 5

  /// Makes rules; without arguments those that apply if root has configured nothing.
  ///
  /// - Parameter minimumNodes: within ``Pattern/minimumNodesRange``.
  public init(minimumNodes: Int = defaultMinimumNodes) { self.minimumNodes = minimumNodes }

  /// All objections are in one line, because there are at most two short sentences.
  public func objections(to value: borrowing Secret, in language: Language) -> [String] {
    let problems = Pattern.problems(with: value, minimumNodes: minimumNodes)
    return problems.isEmpty ? [] : [problems.map { $0.text(in: language) }.joined(separator: " ")]
  }

  /// This is only the number of nodes; the rest follows from how a pattern is drawn.
  public func requirements(in language: Language) -> [String] {
    [RuleText.minimumNodes(minimumNodes).text(in: language)]
  }

  /// Always nil: an entry that is not a stroke is a wrong entry.
  public func formRefusal(of entry: borrowing Secret) -> PromptText? { nil }

  /// Nodes are typed as digits, and a pattern has no fixed number of them.
  public var digitCount: Int? { nil }

  /// A pattern ends with Enter, or when the finger is lifted.
  public var completeLength: Int? { nil }

  /// Always false: the digits are positions on the grid.
  public var usesShuffledKeypad: Bool { false }
}

// The strokes of the pattern authenticator: which entries are strokes, and the canonical form of each. Nothing here draws a
// grid or shows a prompt.

/// A stroke over the 3x3 grid: its nodes as digits, 1 top left to 9 bottom right, row by row.
///
/// Each node occurs at most once. A line that passes over a node not yet visited adds that node: 13 is 123. So a stroke has one
/// canonical form, and the seal is made with it.
public enum Pattern {
  /// The allowed values of `min_nodes`, counted in the canonical form; no shorter pattern can be set.
  public static let minimumNodesRange = 4...9

  /// The number of patterns with the fewest nodes that can be set: `minComplexity` of the metadata statement.
  ///
  /// There are 389,112 patterns of all lengths.
  public static let shortestCount: UInt32 = 1624

  /// The canonical form of an entry, in separate memory.
  ///
  /// - Returns: nil for an entry that could never have been set: a character other than 1 to 9, a node visited before,
  ///   fewer nodes than the lower bound of ``minimumNodesRange``; also nil if there is no memory.
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
    // For any other entry, the intended number of nodes is unknown.
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
