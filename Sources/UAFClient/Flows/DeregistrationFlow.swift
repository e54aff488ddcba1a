import FidoResults
import UAFMessages

/// A deregistration, step by step: ``start(over:)``, ``collect(over:)``.
///
/// Nothing is answered to the server.
/// The server deletes when it makes the request, so it wants the proof with the question.
public struct DeregistrationFlow: Sendable {
  private var opening: RequestOpening

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - scope: what to remove, in the words of the FIDO Alliance's interface, which do not distinguish machines.
  ///   - keyIDs: the keys that were made here; a server that knows the member removes no others.
  ///   - proof: the token of a fresh authentication of this account with `proofFor: .deregistration`.
  ///   - authCode: an enrolment code for the account, where there is no key left to authenticate with.
  public init(
    settings: ClientSettings, username: String, scope: DeregistrationScope, keyIDs: [KeyID], proof: String? = nil,
    authCode: String? = nil
  ) {
    var context = settings.context(username: username)
    context.proof = proof
    context.authCode = authCode
    switch scope {
    case .authenticator(let aaid): context.deregisterAAID = aaid
    case .all: context.deregisterAll = true
    }
    context.deregisterKeyIDs = keyIDs
    opening = RequestOpening(settings: settings, operation: .deregistration, context: context)
  }

  /// Asks the server for a request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport)
  }

  /// Receives the request: what the server has deleted.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire
  ) throws(Refusal) -> DeregistrationOrder {
    let opened = try opening.collect(over: &transport)
    guard case .deregistration(let request) = opened.request else { throw opening.foreign() }
    return DeregistrationOrder(
      appID: opened.appID, authenticators: request.authenticators, token: Token.passedOn(opened.tokens))
  }
}
