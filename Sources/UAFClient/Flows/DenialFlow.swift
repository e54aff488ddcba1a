import FidoResults
import UAFMessages

/// The person denies the text that waits at the server: ``start(over:)``, ``finish(over:)``.
///
/// The code of the payload alone says whose text it is. Nothing is verified or signed, because a denial grants nothing.
public struct DenialFlow: Sendable {
  private var opening: RequestOpening

  /// Makes a flow for one account, with the one-time code of the payload.
  public init(settings: ClientSettings, username: String, authCode: String) {
    var context = settings.context(username: username)
    context.authCode = authCode
    context.denies = true
    opening = RequestOpening(settings: settings, operation: .authentication, context: context)
  }

  /// Tells the server, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport)
  }

  /// Receives the server's verdict that nobody can approve the text any more.
  ///
  /// Fails with 1001 if the server does not know denials.
  public mutating func finish<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.collectAcknowledgement(over: &transport)
  }
}
