/// Whether an account may get in, as its server said last.
public enum AccountStanding: Equatable, Sendable {
  /// It may.
  case active
  /// It may not, until the server says something else.
  case disabled
  /// It may not until a time, in seconds since 1970.
  case locked(until: Int64)
}
