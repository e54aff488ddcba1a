import FidoResults
import UAFCrypto
import UAFMessages
import WebAuthn

/// An authentication by WebAuthn, in the steps of ``AuthenticationFlow``.
///
/// Options may name any number of credentials, decoys among them; those of this account and relying party are used. One
/// credential signs.
public struct CredentialAuthentication: LoginFlow {
  private struct Offered: Sendable {
    let offer: AuthenticationOffer
    let options: PublicKeyCredentialRequestOptions
    let relyingParty: RelyingPartyID
    let purpose: ChallengePurpose?
    var response: AssertionResponse?
    var keyID: KeyID?
  }

  private var ceremony: Ceremony
  private var offered: Offered?
  /// Whether a text should be confirmed, for which WebAuthn has no place.
  private let hasText: Bool

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - hasText: whether the person should confirm a text: the flow then fails before anything is sent.
  public init(settings: ClientSettings, rules: WebAuthnSettings, username: String, hasText: Bool = false) {
    ceremony = Ceremony(.authentication, settings: settings, rules: rules, username: username)
    self.hasText = hasText
  }

  /// Asks the server for options, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    guard !hasText else {
      throw ceremony.link.refusal(.invalidParameter, "a server that speaks WebAuthn has no text to be confirmed")
    }
    try ceremony.start(over: &transport)
  }

  /// Reads the server's answer before ``collect(over:among:)``, once it has come.
  public mutating func receive<Wire: Transport & ~Copyable>(over transport: inout Wire) {
    ceremony.receive(over: &transport)
  }

  /// Reads and drops the answer to the last question, which is no longer needed.
  ///
  /// - Returns: whether the server was reached.
  public mutating func drop<Wire: Transport & ~Copyable>(over transport: inout Wire) -> Bool {
    ceremony.drop(over: &transport)
  }

  /// Receives the options and finds the credentials that may answer.
  ///
  /// Fails with 2002 if there is none here.
  ///
  /// - Parameter authenticators: the authenticators with their credentials; the AppID of a credential is its rpId.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription]
  ) throws(Refusal) -> AuthenticationOffer {
    let options = try options(over: &transport)
    let relyingParty = try ceremony.relyingParty(options.relyingPartyID)
    let purpose = try ceremony.purpose(of: options.challenge)
    var sets: [[AcceptableAuthenticator]] = []
    var leftOut: [AAID] = []
    for authenticator in authenticators {
      let own = authenticator.keyIDs(for: relyingParty.text)
      let allowed = own.filter { options.allows($0.bytes) }
      if !allowed.isEmpty {
        sets.append([AcceptableAuthenticator(aaid: authenticator.aaid, keyIDs: allowed)])
      } else if !own.isEmpty {
        leftOut.append(authenticator.aaid)
      }
    }
    guard !sets.isEmpty else {
      var refusal = ceremony.link.refusal(
        .noSuitableAuthenticator, "the server names no credential that is here for '\(relyingParty.text)'",
        because: .keysNotHere)
      refusal.leftOut = leftOut
      throw refusal
    }
    let offer = AuthenticationOffer(
      appID: relyingParty.text, challenge: Base64URL.encode(options.challenge), sets: sets, transaction: nil,
      leftOut: leftOut, lifetimeMilliseconds: options.timeoutMilliseconds.map { UInt32(clamping: $0) })
    offered = Offered(offer: offer, options: options, relyingParty: relyingParty, purpose: purpose)
    return offer
  }

  /// Receives the options for a name without a credential here, as a login with one would.
  ///
  /// Throws what came instead of options.
  ///
  /// - Returns: nil, because options have no text.
  public mutating func answer<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal)
    -> TransactionText?
  {
    let options = try options(over: &transport)
    _ = try ceremony.relyingParty(options.relyingPartyID)
    _ = try ceremony.purpose(of: options.challenge)
    return nil
  }

  private mutating func options<Wire: Transport & ~Copyable>(
    over transport: inout Wire
  ) throws(Refusal) -> PublicKeyCredentialRequestOptions {
    let json = try ceremony.options(over: &transport)
    do throws(WebAuthnError) { return try PublicKeyCredentialRequestOptions(json: json) } catch {
      throw ceremony.link.refusal(error)
    }
  }

  /// Has one credential sign.
  public mutating func sign<Signer: CredentialSigner & ~Copyable>(with signer: inout Signer) throws(Refusal) {
    guard var current = offered.take(), current.response == nil else { throw ceremony.outOfTurn() }
    let (aaid, keyID) = (signer.aaid, signer.keyID)
    guard current.offer.sets.joined().contains(where: { $0.aaid == aaid && $0.keyIDs.contains(keyID) }) else {
      throw ceremony.link.refusal(
        .noSuitableAuthenticator, "the server's options do not name the credential to sign with")
    }
    do {
      let clientData = CollectedClientData(
        .get, challenge: current.options.challenge, origin: ceremony.origin(of: current.relyingParty))
      let data = try AuthenticatorData(
        relyingPartyIDHash: current.relyingParty.hash, flags: [.userPresent, .userVerified],
        signatureCounter: signer.signCounter)
      let signature = try signer.algorithm.signature(
        raw: signer.sign(credentialData: SignatureBase.bytes(data, clientData)))
      // A server that named the credential knows the account; only one that did not has to be told.
      let isDiscovered = current.options.allowedCredentials.isEmpty && !signer.userHandle.isEmpty
      current.response = AssertionResponse(
        credentialID: keyID.bytes, clientData: clientData, authenticatorData: data, signature: signature,
        userHandle: isDiscovered ? signer.userHandle : nil)
    } catch let failure as SigningFailure {
      throw ceremony.link.refusal(failure.result, failure.detail)
    } catch {
      throw ceremony.link.refusal(.cannotUse, "the authenticator gave values that do not fit an assertion")
    }
    current.keyID = keyID
    offered = current
  }

  /// Sends what was signed and returns the server's verdict, whose signature nobody has checked.
  public mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict {
    guard let current = offered.take(), let response = current.response, let keyID = current.keyID else {
      throw ceremony.outOfTurn()
    }
    let tokens = try ceremony.submit(
      response.json, origin: ceremony.origin(of: current.relyingParty), over: &transport)
    return .accepted(
      Acceptance(
        tokens: tokens, username: ceremony.username,
        expected: ExpectedVerdict(.authentication, for: current.purpose, keyIDs: [keyID]),
        challenge: current.offer.challenge))
  }
}

/// One credential of WebAuthn, unlocked for one signature.
public protocol CredentialSigner: ~Copyable {
  /// The authenticator's model.
  var aaid: AAID { get }

  /// The credential.
  var keyID: KeyID { get }

  /// The account's handle at the relying party.
  var userHandle: [UInt8] { get }

  /// The counter of this signature, already committed to storage.
  var signCounter: UInt32 { get }

  /// The credential's algorithm.
  var algorithm: COSEAlgorithm { get }

  /// Signs authenticator data and the hash of client data, and returns the raw signature, 64 bytes.
  ///
  /// A key of UAF never does this.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func sign(credentialData: [UInt8]) throws(SigningFailure) -> [UInt8]
}
