import FidoResults
import SecretMemory

/// What root asks of the entries of patterns.
public struct PatternEntryRules: EntryRules {
  /// Fewest nodes of a new pattern, those passed over included.
  public var minimumNodes: Int

  /// The fewest nodes if root has configured nothing.
  public static let defaultMinimumNodes = 5

  /// Makes rules; without arguments those that apply if root has configured nothing.
  ///
  /// - Parameter minimumNodes: within ``Pattern/minimumNodesRange``.
  public init(minimumNodes: Int = defaultMinimumNodes) { self.minimumNodes = minimumNodes }

  /// All of it in one line, because there are two short sentences at the most.
  public func objections(to value: borrowing Secret, in language: Language) -> [String] {
    let problems = Pattern.problems(with: value, minimumNodes: minimumNodes)
    return problems.isEmpty ? [] : [problems.map { $0.text(in: language) }.joined(separator: " ")]
  }

  /// How many nodes; the rest is how a pattern is drawn.
  public func requirements(in language: Language) -> [String] {
    [RuleText.minimumNodes(minimumNodes).text(in: language)]
  }

  /// Nothing: an entry that is no stroke is a wrong entry.
  public func formRefusal(of entry: borrowing Secret) -> PromptText? { nil }

  /// Nodes are typed as digits, and a pattern has no fixed number of them.
  public var digitCount: Int? { nil }

  /// A pattern ends with Enter, or when the finger is lifted.
  public var completeLength: Int? { nil }

  /// Never: the digits are places on the grid.
  public var usesShuffledKeypad: Bool { false }
}
