import FidoResults
import UAFClient

/// What came in place of a request or a success, as far as the order of a login depends on it.
enum LoginRefusal: Hashable, CaseIterable {
  /// The server answered, and the answer was no success.
  case no
  /// No server was reached.
  case silence
  /// The server, or something at its address, was reached, and gave no answer that counts.
  case brokenOff
  /// The cause is on this machine, and no server was reached.
  case local

  /// The refusal of a flow.
  init(_ refusal: Refusal) {
    if refusal.isServersNo {
      self = .no
    } else if refusal.handshakeCompleted {
      self = .brokenOff
    } else {
      self = refusal.result == .noAnswer ? .silence : .local
    }
  }
}
