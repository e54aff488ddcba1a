import Synchronization
import UAFService

/// Holds the server's identity.
///
/// With port 0 it is known only when the server listens.
final class IdentityBox: Sendable {
  /// How long the certificates before a renewal count as well: a connection keeps the one it began with, and a person types.
  static let overlap = Duration.seconds(300)

  private struct State {
    var identity: ServerIdentity?
    /// What takes its place, and when.
    var next: (identity: ServerIdentity, from: ContinuousClock.Instant)?
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

  func set(_ new: ServerIdentity) {
    state.withLock { $0 = State(identity: new) }
  }

  /// Has other certificates count, and those before them for ``overlap``.
  ///
  /// Nothing is done before the identity is known: it is made of the certificates of that moment.
  ///
  /// - Throws: ``CryptoError`` for a certificate that no channel binding can name; the identity is as before then.
  func renew(_ certificates: [[UInt8]], after earlier: [[UInt8]]) throws {
    let from = now() + Self.overlap
    try state.withLock { state in
      guard let identity = state.identity else { return }
      let renewed = try identity.renewed(certificates)
      state = State(identity: try identity.renewed(certificates + earlier), next: (renewed, from))
    }
  }

  /// - Throws: ``ServerError/notListening``.
  func value() throws -> ServerIdentity {
    let now = now
    let value = state.withLock { state in
      if let next = state.next, now() >= next.from { state = State(identity: next.identity) }
      return state.identity
    }
    guard let value else { throw ServerError.notListening }
    return value
  }
}
