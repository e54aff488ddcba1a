/// How UAF messages are carried.
public enum Dialect: Equatable, Sendable {
  /// The bodies of the FIDO UAF transport specification.
  case fido
}
