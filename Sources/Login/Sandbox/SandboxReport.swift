/// Which parts of a sandbox are not in force.
public struct SandboxReport: Equatable, Sendable {
  /// What is missing, and the system's error number for it.
  public private(set) var missing: [SandboxFeature: CInt] = [:]

  /// A report in which nothing is missing.
  public init() {}

  /// Notes whether a part is in force.
  ///
  /// - Parameter failure: the system's error number; 0 if the part is in force.
  public mutating func note(_ feature: SandboxFeature, _ failure: CInt) {
    if failure != 0 { missing[feature] = failure }
  }

  /// The report as it is logged and sent: `landlock:38,seccomp:38`; nil if everything is in force.
  public var text: String? {
    let parts = SandboxFeature.allCases.compactMap { feature in missing[feature].map { "\(feature.rawValue):\($0)" } }
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }
}

// What a program gives up permanently before it reads anything from outside: the network, and the paths and system calls
// that it does not need. Nothing is decided here: each program has tables of its own. Imports Glibc, CProcess and libseccomp; no
// Foundation.

/// A kernel feature that sandboxes are made from.
///
/// If one is missing, the program continues and reports it: a login must not depend on the kernel's configuration.
public enum SandboxFeature: String, CaseIterable, Sendable {
  /// A network namespace of its own, which is empty.
  case network
  /// Landlock: no path but the listed ones.
  case landlock
  /// Seccomp: no system call but the listed ones.
  case seccomp
}
