import Authenticator
import FidoResults

/// How an operation ended with success.
struct Success {
  /// The result.
  var result = FidoResult.success
  /// The text for the person; nil for none.
  var text: PromptText?
  /// Plain text in its place, for administrators.
  var detail: String?
  /// Whether today's rules would refuse the value that was verified.
  var valueIsStale = false
  /// What the person has verified.
  var types: [AuthenticatorType] = []
  /// How old the server's last success is, where this is a login without the server.
  var offlineAge: Duration?
  /// The server's token, which is secret.
  var token: String?
  /// The number of the server's news for machines that have joined it; nil for none.
  var machineNews: Int64?
  /// The JSON document of *status* or *check-in*.
  var document: String?
}
