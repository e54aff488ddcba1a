/// Whether an account may get in at the workstations of its server.
public enum AccountState: Equatable, Sendable {
  /// It may.
  case active
  /// It may not until an administrator enables it. An account that the server does not have any more is told as such, too.
  case disabled
  /// It may not until a time, in seconds since 1970.
  case locked(until: Int64)
}
