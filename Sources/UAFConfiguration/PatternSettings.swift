import Authenticator

/// `[pattern]` and `[pattern.appearance]`.
public struct PatternSettings: Equatable, Sendable {
  /// Fewest nodes of a new pattern.
  public internal(set) var minimumNodes = PatternEntryRules.defaultMinimumNodes
  /// How the grid is drawn.
  public internal(set) var appearance = PatternAppearance()

  /// What these settings mean for entries.
  var rules: PatternEntryRules { PatternEntryRules(minimumNodes: minimumNodes) }

  static var settings: [Setting<PatternSettings>] { [.integer("min_nodes", \.minimumNodes, Pattern.minimumNodesRange)] }
}
