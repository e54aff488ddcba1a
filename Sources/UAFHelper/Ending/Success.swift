import Authenticator
import FidoResults

/// How an operation ended well.
struct Success {
  /// The result.
  var result = FidoResult.success
  /// What the person is told; nil where a yes says it all.
  var text: PromptText?
  /// Plain text in its place, for administrators.
  var detail: String?
  /// Whether the value that was verified would be refused by today's rules.
  var valueIsStale = false
  /// What the person has verified.
  var types: [AuthenticatorType] = []
  /// How long ago the server had said yes, where this is a login without it.
  var offlineAge: Duration?
  /// The server's token, which is secret.
  var token: String?
  /// The JSON document of *status*.
  var document: String?
}
