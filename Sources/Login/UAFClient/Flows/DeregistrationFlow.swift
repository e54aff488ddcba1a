import FidoResults
import UAFCrypto
import UAFMessages

/// A deregistration, step by step: ``start(over:)``, ``collect(over:)``.
///
/// Nothing is answered to the server.
/// The server deletes when it makes the request, so the question must already contain what allows the removal.
public struct DeregistrationFlow: Sendable {
  private let entitlement: Entitlement
  private var opening: RequestOpening

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - scope: what to remove.
  ///   - keyIDs: the keys that were made here; a server that supports this member removes no others.
  ///   - entitlement: the token of a fresh authentication for this removal, or an enrolment code, if there is no key left to
  ///     authenticate with.
  public init(
    settings: ClientSettings, username: String, scope: DeregistrationScope, keyIDs: [KeyID],
    entitlement: Entitlement = .none
  ) {
    self.entitlement = entitlement
    var context = settings.context(username: username)
    scope.describe(keyIDs, in: &context)
    opening = RequestOpening(settings: settings, operation: .deregistration, context: context)
  }

  /// Asks the server for a request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport) { (context) throws(CryptoError) in
      context = try entitlement.described(in: context, EnrolmentCode.removalStatement)
    }
  }

  /// Receives the request: it names what the server has deleted.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire
  ) throws(Refusal) -> DeregistrationOrder {
    let opened = try opening.collect(over: &transport)
    guard case .deregistration(let request) = opened.request else { throw opening.foreign() }
    return DeregistrationOrder(
      appID: opened.appID, authenticators: request.authenticators, tokens: opened.tokens,
      username: opening.context.username, askedKeyIDs: opening.context.deregisterKeyIDs,
      deviceID: opening.context.deviceID, message: opened.message)
  }
}

/// A person's denial of the text that waits at the server: ``start(over:)``, ``finish(over:)``.
///
/// The code of the payload alone identifies the text. Nothing is verified or signed, because a denial grants nothing.
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

  /// Receives the server's verdict that nobody can approve the text any longer.
  ///
  /// Fails with 1001 if the server does not support denials.
  public mutating func finish<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.collectAcknowledgement(over: &transport)
  }
}
