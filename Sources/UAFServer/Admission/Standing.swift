import UAFMessages

/// In whose name a request was let in.
enum Standing: Equatable, Sendable {
  /// In that of a machine that has proved itself, for this claim.
  case machine(MachineClaim)
  /// In that of its address.
  case stranger
}
