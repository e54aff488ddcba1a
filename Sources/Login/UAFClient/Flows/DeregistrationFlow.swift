import FidoResults
import UAFCrypto
import UAFMessages

/// A deregistration, step by step: ``start(over:)``, ``collect(over:)``.
///
/// The client sends no UAF response. The server deletes the keys before it sends its UAF request, so the first HTTP request
/// must already contain the entitlement to remove them.
public struct DeregistrationFlow: Sendable {
  private let entitlement: Entitlement
  private var opening: RequestOpening

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - scope: what to remove.
  ///   - keyIDs: the keys that were made here; `uaf-server` removes no others; other servers ignore the list.
  ///   - entitlement: the token of a fresh authentication for this removal; an enrolment code if there is no key left to
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

  /// Asks the server for the UAF request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport) { (context) throws(CryptoError) in
      context = try entitlement.described(in: context, EnrolmentCode.removalStatement)
    }
  }

  /// Receives the server's request, which names the keys that the server has deleted.
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

/// The flow with which a person denies a text that waits at the server for confirmation: ``start(over:)``, ``finish(over:)``.
///
/// Only the code from the payload identifies the text. The person verifies nothing and nothing is signed, because a denial
/// grants nothing.
public struct DenialFlow: Sendable {
  private var opening: RequestOpening

  /// Makes a flow for one account, with the one-time code from the approval payload.
  public init(settings: ClientSettings, username: String, authCode: String) {
    var context = settings.context(username: username)
    context.authCode = authCode
    context.denies = true
    opening = RequestOpening(settings: settings, operation: .authentication, context: context)
  }

  /// Sends the denial to the server, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport)
  }

  /// Receives the server's confirmation that the text can no longer be approved.
  ///
  /// Fails with 1001 if the server does not support denials.
  public mutating func finish<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.collectAcknowledgement(over: &transport)
  }
}
