import FidoResults
import UAFCrypto
import UAFMessages

/// A registration, step by step: ``start(over:)``, ``collect(over:among:)``, ``makeKey(with:)``, ``send(over:)``.
///
/// If ``needsAuthorization`` is true, ``authorize(with:describedBy:)`` comes before the last step: a registered key signs a
/// list of the new keys. The message to the server contains the entitlement for the new keys, which is valid for these keys
/// only.
///
/// The caller must store the new key only after the server has accepted it, and discard it if a step throws. If ``send(over:)``
/// returns ``Verdict/furtherRequest``, continue with ``furtherAuthentication()``; the registration succeeds only if that
/// authentication does. The attestation is surrogate (UAF: basic surrogate): the new key signs its own registration data.
public struct RegistrationFlow: EnrolmentFlow {
  private struct Offered: Sendable {
    let request: RegistrationRequest
    let offer: RegistrationOffer
    let challenge: FinalChallenge
    /// The purpose of the challenge; nil if the server is another vendor's and states none.
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
  ///   - lostKeyIDs: keys that this machine made for the account and has lost. `uaf-server` removes them when it accepts the
  ///     new keys; other servers ignore the list.
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

  /// Asks the server for a UAF request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    try opening.start(over: &transport) { (context) throws(CryptoError) in
      context = try entitlement.described(in: context) { EnrolmentCode.registrationStatement(username: $0.username) }
    }
  }

  /// Receives the request and finds the authenticators that satisfy it and are not registered already.
  ///
  /// Fails with 2002 if none does, with 1001 if the request is for a different account.
  ///
  /// - Parameter registered: other registered authenticators; they only affect the text for result 2002.
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

  /// Whether a registered key must sign a list of the new keys.
  public var needsAuthorization: Bool { offered?.purpose == .registrationByKey }

  /// Has a registered key authorise the new keys; called once for each key that signed the proof.
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

  /// It contains no channel binding: the registration that it authorises already contains the server's certificate.
  private func authorizedChallenge(_ current: Offered) throws -> FinalChallenge {
    try FinalChallenge(
      appID: current.offer.appID, challenge: current.statement.authorization(hash: SHA256.hash),
      facetID: opening.settings.facetID, certificate: [])
  }

  /// Sends the new key and returns the server's verdict.
  ///
  /// If the keys do not form one complete set, fails before anything is sent.
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

  /// The entitlement for the new keys, in the form in which it is sent.
  ///
  /// Another vendor's server would not understand it, so for such a server all members are nil.
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

  /// The authentication that the server demanded in its answer to the new key.
  ///
  /// The caller continues with the `collect` step of this flow.
  public func furtherAuthentication() -> (any LoginFlow)? { AuthenticationFlow(following: opening) }
}

/// The choices that a server's registration request leaves open.
public struct RegistrationOffer: Equatable, Sendable {
  /// The AppID.
  public let appID: String

  /// The challenge to be signed, base64url as the server sent it.
  public let challenge: String

  /// The account's name at the server.
  public let username: String

  /// Sets of authenticators to be registered together, the server's favourite first; at least one.
  public let sets: [[AcceptableAuthenticator]]

  /// How long the request is valid, according to the server; nil if it does not state this.
  public let lifetimeMilliseconds: UInt32?
}

/// An authenticator that is about to get a new key.
public protocol KeyMaker: ~Copyable {
  /// The authenticator's AAID.
  var aaid: AAID { get }

  /// The authenticator's version.
  var authenticatorVersion: UInt16 { get }

  /// Makes a key pair for an application; it is stored only after the server has accepted it.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func makeKey(appID: String) throws(SigningFailure) -> NewKey

  /// Signs the key registration data with the new key (P-256, SHA-256), and returns the raw signature of 64 bytes.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func sign(_ keyRegistrationData: [UInt8]) throws(SigningFailure) -> [UInt8]
}

/// The public part of a new key.
public struct NewKey: Equatable, Sendable {
  /// Identifies the key; 32 random bytes.
  public let keyID: KeyID

  /// The public key: 65 bytes, `04 | X | Y`; for a credential of EdDSA, 32 bytes.
  public let publicKey: [UInt8]

  /// The initial signature counter of the key.
  public let signCounter: UInt32

  /// The authenticator's count of registrations, including this one.
  public let regCounter: UInt32

  /// Makes a description of a new key.
  public init(keyID: KeyID, publicKey: [UInt8], signCounter: UInt32, regCounter: UInt32) {
    self.keyID = keyID
    self.publicKey = publicKey
    self.signCounter = signCounter
    self.regCounter = regCounter
  }
}
