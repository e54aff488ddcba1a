/// What is fixed about a login before it begins.
struct LoginRules: Hashable {
  /// Whether the person approves a text that waits at the server, with a code that is valid for one request.
  var isApproval = false
  /// Whether the front end gets a message when the request is there, and says when to go on.
  var isDivided = false
  /// Whether a text that the server adds by itself is shown and confirmed.
  var takesServersText = false
  /// Whether root allows this login without the server for a time.
  var allowsOffline = false
  /// Whether a refusal of the server's must not show before a value was entered: it could tell which names exist.
  var hidesState = false
  /// How many authenticators the account has.
  var authenticators = 1

  /// Whether the person is asked for a value before anything of the server is waited for.
  var asksPersonFirst: Bool { LoginPreparation.all(under: self).first == .firstValue }
}
