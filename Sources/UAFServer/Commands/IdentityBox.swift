import Synchronization
import UAFService

/// Holds the server's identity.
///
/// With port 0 it is known only when the server listens.
final class IdentityBox: Sendable {
  private let identity = Mutex<ServerIdentity?>(nil)

  func set(_ new: ServerIdentity) {
    identity.withLock { $0 = new }
  }

  /// - Throws: ``ServerError/notListening``.
  func value() throws -> ServerIdentity {
    guard let value = identity.withLock({ $0 }) else { throw ServerError.notListening }
    return value
  }
}
