import FidoResults
import UAFCrypto
import UAFMessages

/// A registration, step by step: ``start(over:)``, ``collect(over:among:)``, ``makeKey(with:)``, ``send(over:)``.
///
/// If ``needsAuthorization`` is true, ``authorize(with:describedBy:)`` comes before the last step: a registered key signs which
/// keys are new. The message to the server contains what allows the new keys, and that is valid for these keys only.
///
/// The caller keeps the new key only once the server has accepted it; if a step throws, the caller drops it. If ``send(over:)``
/// returns ``Verdict/furtherRequest``, ``furtherAuthentication()`` continues, and the registration succeeds only if that does.
/// The attestation is surrogate: the new key signs its own registration data.
public struct RegistrationFlow: EnrolmentFlow {
  private struct Offered: Sendable {
    let request: RegistrationRequest
    let offer: RegistrationOffer
    let challenge: FinalChallenge
    /// The purpose of the challenge; nil for another vendor's server.
    let purpose: ChallengePurpose?
    let authenticators: [AuthenticatorDescription]
    var made: [AAID] = []
    var assertions: [AuthenticatorRegistrationAssertion] = []
    var keys: [NewKeysStatement.Key] = []
    var authorization: Authorization?

    var statement: NewKeysStatement {
      NewKeysStatement(username: request.username, appID: offer.appID, challenge: request.challenge, keys: keys)
    }
  }

  /// The statement that registered keys sign to authorise the new ones, and their signatures so far.
  private struct Authorization: Sendable {
    let challenge: FinalChallenge
    var assertions: [AuthenticatorSignAssertion] = []
  }

  private let username: String
  private let entitlement: Entitlement
  /// The machine secret that the server gave when this machine joined; nil if it has not joined.
  private let joined: MachineSecret?
  private var opening: RequestOpening
  private var offered: Offered?

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - entitlement: what allows the new keys.
  ///   - joined: the machine secret that the server gave when this machine joined.
  ///   - lostKeyIDs: keys that this machine made for the account and lost. A server that supports the member forgets them
  ///     when it accepts the new keys; any other server ignores the member, and keeps its keys.
  public init(
    settings: ClientSettings, username: String, entitlement: Entitlement = .none, joined: MachineSecret? = nil,
    lostKeyIDs: [KeyID] = []
  ) {
    self.username = username
    self.entitlement = entitlement
    self.joined = joined
    var context = settings.context(username: username)
    context.lostKeyIDs = lostKeyIDs
    opening = RequestOpening(settings: settings, operation: .registration, context: context)
  }

  /// Asks the server for a request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport) { (context) throws(CryptoError) in
      context = try entitlement.described(in: context) { EnrolmentCode.registrationStatement(username: $0.username) }
    }
  }

  /// Receives the request and finds the authenticators that satisfy it and are not registered already.
  ///
  /// Fails with 2002 if none does, with 1001 if the request is for a different account.
  ///
  /// - Parameter registered: other registered authenticators; they only decide the text for 2002.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription],
    besides registered: [AuthenticatorDescription] = []
  ) throws(Refusal) -> RegistrationOffer {
    let opened = try opening.collect(over: &transport)
    guard case .registration(let request) = opened.request else { throw opening.foreign() }
    guard request.username.isIdentical(to: username) else {
      throw opening.link.refusal(ofServer: .invalidParameter, "the server's request is for a different account")
    }
    let purpose = try opening.purpose(
      of: request.challenge, among: entitlement.purpose.map { [$0] } ?? [], isOurs: entitlement.purpose != nil)
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
      purpose: purpose, authenticators: authenticators)
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
    current.keys.append(NewKeysStatement.Key(aaid: aaid, keyID: key.keyID, publicKey: key.publicKey))
    offered = current
    return key
  }

  /// Whether a registered key must sign which keys are new.
  public var needsAuthorization: Bool { offered?.purpose == .registrationByKey }

  /// Has a registered key authorise the keys that were made; called once for each that signed the proof.
  ///
  /// - Parameter authenticators: the description of the authenticator that signs.
  public mutating func authorize<Signer: AssertionSigner & ~Copyable>(
    with signer: inout Signer, describedBy authenticators: [AuthenticatorDescription]
  ) throws(Refusal) {
    guard var current = offered.take(), !current.keys.isEmpty else { throw opening.outOfTurn() }
    do {
      var authorization = try current.authorization ?? Authorization(challenge: authorizedChallenge(current))
      let header = current.request.header
      let builder = try AuthenticationAssertionBuilder(
        aaid: signer.aaid, authenticatorVersion: signer.authenticatorVersion, nonce: signer.nonce,
        finalChallengeHash: authorization.challenge.hash, keyID: signer.keyID, signCounter: signer.signCounter,
        verificationMethods: header.verificationMethods(of: signer.aaid, among: authenticators))
      let assertion = try builder.assertion(signature: signer.sign(builder.signedBytes))
      authorization.assertions.append(AuthenticatorSignAssertion(assertion: assertion))
      current.authorization = authorization
    } catch let failure as SigningFailure {
      throw opening.link.refusal(failure.result, failure.detail)
    } catch {
      throw opening.link.refusal(.cannotUse, "the new keys could not be authorised: \(error)")
    }
    offered = current
  }

  /// The connection is not part of this: the registration that it belongs to names the server's certificate.
  private func authorizedChallenge(_ current: Offered) throws -> FinalChallenge {
    try FinalChallenge(
      appID: current.offer.appID, challenge: current.statement.authorization(hash: SHA256.hash),
      facetID: opening.settings.facetID, certificate: [])
  }

  /// Sends the new key and returns the server's verdict.
  ///
  /// Fails before anything is sent if the keys do not form one whole set.
  public mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict {
    guard let current = offered.take() else { throw opening.outOfTurn() }
    let made = current.made
    let isWhole = current.offer.sets.contains { set in
      set.count == made.count && set.allSatisfy { made.contains($0.aaid) }
    }
    guard isWhole else { throw opening.outOfTurn() }
    let response = RegistrationResponse(
      header: current.request.header, fcParams: current.challenge.text, assertions: current.assertions)
    let expected = ExpectedVerdict(
      .registration, for: current.purpose, keyIDs: current.keys.map(\.keyID), deviceID: opening.context.deviceID)
    let allowance = try allowance(of: current)
    return try opening.submit(.registration(response), appID: current.offer.appID, for: expected, over: &transport) {
      $0.codeProof = nil
      $0.codeMAC = allowance.codeMAC
      $0.machineMAC = allowance.machineMAC
      $0.machineID = allowance.machineMAC == nil ? nil : joined?.machineID
      $0.authorization = allowance.authorization
    }
  }

  /// What allows the new keys; empty for another vendor's server, which would not understand it.
  private func allowance(
    of current: Offered
  ) throws(Refusal) -> (codeMAC: [UInt8]?, machineMAC: [UInt8]?, authorization: String?) {
    guard current.purpose != nil else { return (nil, nil, nil) }
    guard needsNoMore(current) else { throw opening.outOfTurn() }
    let statement = current.statement
    do throws(CryptoError) {
      let codeMAC = try entitlement.authenticate(EnrolmentCode.keysStatement(statement), for: username)
      var machineMAC: [UInt8]?
      if let joined, let deviceID = opening.context.deviceID {
        machineMAC = try HMACSHA256.authenticate(
          statement.machineStatement(deviceID: deviceID), keyInOrdinaryMemory: joined.secret)
      }
      let header = current.request.header
      let authorization = current.authorization.map { authorization in
        AuthenticationResponse(
          header: OperationHeader(
            upv: header.upv, op: .authentication, appID: header.appID, serverData: header.serverData),
          fcParams: authorization.challenge.text, assertions: authorization.assertions)
      }
      return (codeMAC, machineMAC, authorization.map { UAFResponse.authentication($0).text })
    } catch { throw opening.link.refusal(.cannotUse, error.description) }
  }

  private func needsNoMore(_ current: Offered) -> Bool {
    current.purpose != .registrationByKey || current.authorization != nil
  }

  /// The authentication that the server demanded in answer to the new key; the caller continues with its `collect`.
  public func furtherAuthentication() -> (any LoginFlow)? { AuthenticationFlow(following: opening) }
}

/// The choices that a server's registration request leaves open.
public struct RegistrationOffer: Equatable, Sendable {
  /// The application.
  public let appID: String

  /// The challenge to be answered, base64url as the server sent it.
  public let challenge: String

  /// The account's name at the server.
  public let username: String

  /// Sets of authenticators to be registered together, the server's favourite first; at least one.
  public let sets: [[AcceptableAuthenticator]]

  /// How long the request is valid, as the server says; nil if it does not say.
  public let lifetimeMilliseconds: UInt32?
}

/// An authenticator that is about to get a new key.
public protocol KeyMaker: ~Copyable {
  /// The authenticator's model.
  var aaid: AAID { get }

  /// The authenticator's version.
  var authenticatorVersion: UInt16 { get }

  /// Makes a key pair for an application; it is kept only once the server has accepted it.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func makeKey(appID: String) throws(SigningFailure) -> NewKey

  /// Signs the key registration data with the new key: P-256, SHA-256, raw, 64 bytes.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func sign(_ keyRegistrationData: [UInt8]) throws(SigningFailure) -> [UInt8]
}

/// The public side of a new key.
public struct NewKey: Equatable, Sendable {
  /// Identifies the key; 32 random bytes.
  public let keyID: KeyID

  /// The public key, 65 bytes: 04, X, Y.
  public let publicKey: [UInt8]

  /// The signature counter that the key starts with.
  public let signCounter: UInt32

  /// The authenticator's count of registrations, this one included.
  public let regCounter: UInt32

  /// Makes a description of a new key.
  public init(keyID: KeyID, publicKey: [UInt8], signCounter: UInt32, regCounter: UInt32) {
    self.keyID = keyID
    self.publicKey = publicKey
    self.signCounter = signCounter
    self.regCounter = regCounter
  }
}
