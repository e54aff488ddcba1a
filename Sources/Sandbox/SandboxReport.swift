/// Which parts of a sandbox are not in force.
public struct SandboxReport: Equatable, Sendable {
  /// What is missing, and the system's error number for it.
  public private(set) var missing: [SandboxFeature: CInt] = [:]

  /// A report of nothing missing.
  public init() {}

  /// Notes how entering a part went.
  ///
  /// - Parameter failure: the system's error number; 0 if the part is in force.
  public mutating func note(_ feature: SandboxFeature, _ failure: CInt) {
    if failure != 0 { missing[feature] = failure }
  }

  /// As it is logged and sent: `landlock:38,seccomp:38`; nil if everything is in force.
  public var text: String? {
    let parts = SandboxFeature.allCases.compactMap { feature in missing[feature].map { "\(feature.rawValue):\($0)" } }
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }
}
