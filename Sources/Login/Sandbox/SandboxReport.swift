/// Which parts of a sandbox could not be put in force.
public struct SandboxReport: Equatable, Sendable {
  /// The missing features, each with the system's error number.
  public private(set) var missing: [SandboxFeature: CInt] = [:]

  /// A report in which nothing is missing.
  public init() {}

  /// Records whether a feature is in force.
  ///
  /// - Parameter failure: the system's error number; 0 if the feature is in force.
  public mutating func note(_ feature: SandboxFeature, _ failure: CInt) {
    if failure != 0 { missing[feature] = failure }
  }

  /// The report as it is logged and sent: `landlock:38,seccomp:38`; nil if everything is in force.
  public var text: String? {
    let parts = SandboxFeature.allCases.compactMap { feature in missing[feature].map { "\(feature.rawValue):\($0)" } }
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }
}

// Purpose of this target: sandboxes. Before a program reads anything from outside, it permanently gives up the network, and the
// paths and system calls that it does not need. Which ones it needs is listed in each program's own tables, not here. Imports
// Glibc, CProcess and libseccomp; no Foundation.

/// A kernel feature that a sandbox uses.
///
/// If the kernel lacks one, the program continues and reports this: a login must not depend on the kernel's configuration.
public enum SandboxFeature: String, CaseIterable, Sendable {
  /// An empty network namespace of its own.
  case network
  /// Landlock: only the listed paths can be opened.
  case landlock
  /// Seccomp: only the listed system calls can be made.
  case seccomp
}
