import Authenticator

/// What the server contributed to an ending.
struct ServerPart {
  /// Whether the server must not be reported as away, see ``Refusal/handshakeCompleted``.
  ///
  /// It affects only the code of 4001.
  var handshakeCompleted = true
  /// Whether the ending states what the server said.
  var hasSpoken = false
  /// Whether the server answered with anything but a success.
  ///
  /// From then on no login succeeds without the server.
  var hasRefused = false
  /// The authenticators whose keys the server does not know.
  var forgottenTypes: [AuthenticatorType] = []
}
