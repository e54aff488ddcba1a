/// How UAF messages are carried.
public enum Dialect: Equatable, Sendable {
  /// The bodies of the FIDO UAF transport specification, as the FIDO Alliance's interface for server tests has them too.
  case fido
  /// GET for requests, POST for responses; the bodies are the UAF messages themselves.
  case plain(PlainRules)
}
