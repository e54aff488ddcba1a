import Glibc

/// A privilege that could not be given up; the program then serves nobody.
public struct PrivilegeError: Error, Equatable {
  /// What was attempted.
  public let step: Step
  /// The system's error number; 0 if the call succeeded without effect.
  public let number: CInt

  /// The steps, in their order.
  public enum Step: String, Sendable {
    case groups = "leave the supplementary groups"
    case ambient = "clear the ambient capabilities"
    case bounding = "clear the capability bounding set"
    case identity = "become the unprivileged user"
    case capabilities = "clear the capabilities"
    case noWayBack = "make sure that there is no way back to root"
    case newPrivileges = "forbid new privileges"
    case dumps = "forbid core dumps"
    case parentDeath = "end with the parent"
  }
}

extension PrivilegeError: CustomStringConvertible {
  /// What failed and what to look at.
  public var description: String {
    // SAFETY: strerror returns a NUL-terminated text for every number.
    let reason = number == 0 ? "no effect" : unsafe String(cString: strerror(number))
    return "cannot \(step.rawValue): \(reason). The program ends; look for a filter of system calls around the login."
  }
}
