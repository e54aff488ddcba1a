import FidoResults
import UAFCrypto
import UAFMessages

/// A registration, step by step: ``start(over:)``, ``collect(over:among:)``, ``makeKey(with:)``, ``send(over:)``.
///
/// The caller keeps the new key only once the server has accepted it; on a throw it drops it. Where ``send(over:)``
/// gives ``Verdict/furtherRequest``, ``furtherAuthentication()`` goes on, and its success is the one that counts.
/// Attestation is surrogate: the new key signs its own registration data.
public struct RegistrationFlow: Sendable {
  private struct Offered: Sendable {
    let request: RegistrationRequest
    let offer: RegistrationOffer
    let challenge: FinalChallenge
    let authenticators: [AuthenticatorDescription]
    var made: [AAID] = []
    var assertions: [AuthenticatorRegistrationAssertion] = []
  }

  private let username: String
  private var opening: RequestOpening
  private var offered: Offered?

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - authCode: an enrolment code for the account.
  ///   - proof: the token of a fresh authentication with `proofFor: .registration`, which authorises a further key.
  ///   - lostKeyIDs: keys that this machine made for the account and lost. A server that knows the member forgets them
  ///     with its success; any other server ignores the member, and keeps its keys.
  public init(
    settings: ClientSettings, username: String, authCode: String? = nil, proof: String? = nil, lostKeyIDs: [KeyID] = []
  ) {
    self.username = username
    var context = settings.context(username: username)
    context.authCode = authCode
    context.proof = proof
    context.lostKeyIDs = lostKeyIDs
    opening = RequestOpening(settings: settings, operation: .registration, context: context)
  }

  /// Asks the server for a request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport)
  }

  /// Receives the request and finds the authenticators that satisfy it and are not registered already.
  ///
  /// Fails with 2002 if none does, with 1001 if the request is for another account.
  ///
  /// - Parameter registered: others that are registered; they decide only the text for 2002.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription],
    besides registered: [AuthenticatorDescription] = []
  ) throws(Refusal) -> RegistrationOffer {
    let opened = try opening.collect(over: &transport)
    guard case .registration(let request) = opened.request else { throw opening.foreign() }
    guard request.username.isIdentical(to: username) else {
      throw opening.link.refusal(ofServer: .invalidParameter, "the server's request is for another account")
    }
    let surrogate = Attestation.surrogate(signature: []).type
    let acceptable = request.policy.acceptableSets(among: authenticators, appID: opened.appID)
    let sets = acceptable.filter { $0.allSatisfy { $0.attestationType == surrogate } }
    guard !sets.isEmpty else {
      let shortfall =
        acceptable.isEmpty
        ? request.policy.registrationShortfall(among: authenticators + registered, appID: opened.appID) : .otherTypes
      throw opening.link.refusal(
        .noSuitableAuthenticator, "no authenticator here satisfies the server's policy (\(shortfall))",
        because: shortfall.cause)
    }
    let offer = RegistrationOffer(
      appID: opened.appID, challenge: request.challenge.text, username: username, sets: sets,
      lifetimeMilliseconds: opened.lifetimeMilliseconds)
    offered = Offered(
      request: request, offer: offer,
      challenge: try opening.link.finalChallenge(
        appID: opened.appID, challenge: request.challenge, facetID: opening.settings.facetID),
      authenticators: authenticators)
    return offer
  }

  /// Has one authenticator make a key and attest it; called once for each member of the chosen set.
  public mutating func makeKey<Maker: KeyMaker & ~Copyable>(with maker: inout Maker) throws(Refusal) -> NewKey {
    guard var current = offered.take() else { throw opening.outOfTurn() }
    let aaid = maker.aaid
    guard current.offer.sets.joined().contains(where: { $0.aaid == aaid }), !current.made.contains(aaid) else {
      throw opening.link.refusal(.noSuitableAuthenticator, "the server's policy does not allow this authenticator")
    }
    let key: NewKey
    do {
      key = try maker.makeKey(appID: current.offer.appID)
      let builder = try RegistrationAssertionBuilder(
        aaid: aaid, authenticatorVersion: maker.authenticatorVersion, finalChallengeHash: current.challenge.hash,
        keyID: key.keyID, signCounter: key.signCounter, regCounter: key.regCounter, publicKey: key.publicKey,
        verificationMethods: current.request.header.verificationMethods(of: aaid, among: current.authenticators))
      let signature = try maker.sign(builder.signedBytes)
      let assertion = try builder.assertion(attestation: .surrogate(signature: signature))
      current.assertions.append(AuthenticatorRegistrationAssertion(assertion: assertion))
    } catch let failure as SigningFailure {
      throw opening.link.refusal(failure.result, failure.detail)
    } catch {
      throw opening.link.refusal(.cannotUse, "the authenticator gave values that do not fit an assertion")
    }
    current.made.append(aaid)
    offered = current
    return key
  }

  /// Sends the new key and returns the server's verdict.
  ///
  /// Fails before anything is sent if the keys are not those of one whole set.
  public mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict {
    guard let current = offered.take() else { throw opening.outOfTurn() }
    let made = current.made
    let isWhole = current.offer.sets.contains { set in
      set.count == made.count && set.allSatisfy { made.contains($0.aaid) }
    }
    guard isWhole else { throw opening.outOfTurn() }
    let response = RegistrationResponse(
      header: current.request.header, fcParams: current.challenge.text, assertions: current.assertions)
    return try opening.submit(.registration(response), appID: current.offer.appID, over: &transport)
  }

  /// The authentication that the server demanded in answer to the new key; it goes on at its `collect`.
  public func furtherAuthentication() -> AuthenticationFlow { AuthenticationFlow(following: opening) }
}
