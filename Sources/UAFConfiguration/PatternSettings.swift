import Authenticator

/// `[pattern]` and `[pattern.appearance]`.
public struct PatternSettings: Equatable, Sendable {
  /// Fewest nodes of a new pattern.
  public internal(set) var minimumNodes = 5
  /// How the grid is drawn.
  public internal(set) var appearance = PatternAppearance()

  static var settings: [Setting<PatternSettings>] { [.integer("min_nodes", \.minimumNodes, Pattern.minimumNodesRange)] }
}
