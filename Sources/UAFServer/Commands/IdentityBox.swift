import Synchronization
import UAFService

/// Holds the server's identity, which with port 0 is known only once the server listens.
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
