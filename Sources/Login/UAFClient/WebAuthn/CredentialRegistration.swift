import FidoResults
import UAFCrypto
import UAFMessages
import WebAuthn

/// A registration by WebAuthn, in the steps of ``RegistrationFlow``.
///
/// The attestation is what the server asks for: none, or the new credential's own signature (packed, self attestation).
public struct CredentialRegistration: EnrolmentFlow {
  private struct Offered: Sendable {
    let offer: RegistrationOffer
    let options: PublicKeyCredentialCreationOptions
    let relyingParty: RelyingPartyID
    let purpose: ChallengePurpose?
    let algorithm: COSEAlgorithm
    var response: AttestationResponse?
    var keyID: KeyID?
  }

  /// Whether the server's interface has no place for what allows the new credential.
  private let isUseless: Bool
  private var ceremony: Ceremony
  private var offered: Offered?

  /// Makes a flow for one account.
  ///
  /// - Parameters:
  ///   - username: the account's name at the server.
  ///   - entitlement: what allows the new credential. WebAuthn has nothing for it, so the dialect says where the code or the
  ///     password goes that the person entered.
  public init(settings: ClientSettings, rules: WebAuthnSettings, username: String, entitlement: Entitlement = .none) {
    var entry: String?
    switch entitlement {
    case .none: isUseless = false
    case .plainCode(let text):
      entry = text
      isUseless = false
    // WebAuthn has no proof by a code, so that of uaf-server is sent to it as any other server's is.
    case .code(let code):
      entry = code.text
      isUseless = rules.interface != .conformance
    case .proof: isUseless = true
    }
    ceremony = Ceremony(.registration, settings: settings, rules: rules, username: username, entry: entry)
  }

  /// Asks the server for options, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    guard !isUseless else {
      throw ceremony.link.refusal(
        .invalidParameter, "a code of uaf-server is of no use at a server of another vendor that speaks WebAuthn",
        because: .codesNotJudged)
    }
    try ceremony.start(over: &transport)
  }

  /// Receives the options and finds the authenticators that can make a credential for them.
  ///
  /// Fails with 2002 if none can, with 1001 if the options are for a different account.
  ///
  /// - Parameter authenticators: the authenticators with their credentials; the AppID of a credential is its rpId.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription],
    besides _: [AuthenticatorDescription] = []
  ) throws(Refusal) -> RegistrationOffer {
    let json = try ceremony.options(over: &transport)
    let options: PublicKeyCredentialCreationOptions
    do throws(WebAuthnError) { options = try PublicKeyCredentialCreationOptions(json: json) } catch {
      throw ceremony.link.refusal(error)
    }
    let relyingParty = try ceremony.relyingParty(options.relyingParty.id)
    let purpose = try ceremony.purpose(of: options.challenge)
    guard options.user.name.isIdentical(to: ceremony.username) else {
      throw ceremony.link.refusal(ofServer: .invalidParameter, "the server's options are for a different account")
    }
    guard let algorithm = options.algorithm(preferring: COSEAlgorithm.ofOwnKeys) else {
      throw ceremony.link.refusal(
        .noSuitableAuthenticator, "the server takes neither ES256 nor EdDSA, the algorithms of the keys here",
        because: .typesNotAccepted)
    }
    guard options.attachment != .crossPlatform else {
      throw ceremony.link.refusal(
        .noSuitableAuthenticator, "the server wants a security key, not an authenticator of this machine",
        because: .typesNotAccepted)
    }
    let free = authenticators.filter { authenticator in
      !authenticator.keyIDs(for: relyingParty.text).contains { keyID in
        options.excludedCredentials.contains { $0.id == keyID.bytes }
      }
    }
    guard !free.isEmpty else {
      throw ceremony.link.refusal(
        .noSuitableAuthenticator, "the server has a credential of each authenticator here",
        because: .registeredAlready)
    }
    let offer = RegistrationOffer(
      appID: relyingParty.text, challenge: Base64URL.encode(options.challenge), username: ceremony.username,
      sets: free.map { [AcceptableAuthenticator(aaid: $0.aaid, keyIDs: [])] },
      lifetimeMilliseconds: options.timeoutMilliseconds.map { UInt32(clamping: $0) })
    offered = Offered(
      offer: offer, options: options, relyingParty: relyingParty, purpose: purpose, algorithm: algorithm)
    return offer
  }

  /// Has one authenticator make a credential and attest it as the server asks.
  public mutating func makeKey<Maker: CredentialMaker & ~Copyable>(with maker: inout Maker) throws(Refusal) -> NewKey {
    guard var current = offered.take(), current.response == nil else { throw ceremony.outOfTurn() }
    let aaid = maker.aaid
    guard current.offer.sets.joined().contains(where: { $0.aaid == aaid }) else {
      throw ceremony.link.refusal(.noSuitableAuthenticator, "the server's options do not allow this authenticator")
    }
    let key: NewKey
    do {
      key = try maker.makeCredential(
        relyingPartyID: current.relyingParty.text, userHandle: current.options.user.id, current.algorithm)
      let clientData = CollectedClientData(
        .create, challenge: current.options.challenge, origin: ceremony.origin(of: current.relyingParty))
      let credential = try AttestedCredential(
        aaguid: maker.aaguid, credentialID: key.keyID.bytes, publicKey: current.algorithm.key(of: key.publicKey))
      let data = try AuthenticatorData(
        relyingPartyIDHash: current.relyingParty.hash, flags: [.userPresent, .userVerified],
        signatureCounter: key.signCounter, attestedCredential: credential)
      var statement = AttestationStatement.none
      if current.options.attestation != .none {
        let raw = try maker.sign(credentialData: SignatureBase.bytes(data, clientData))
        statement = .packed(
          PackedStatement(algorithm: current.algorithm, signature: try current.algorithm.signature(raw: raw)))
      }
      current.response = AttestationResponse(
        clientData: clientData,
        attestationObject: AttestationObject(authenticatorData: data, statement: statement))
    } catch let failure as SigningFailure {
      throw ceremony.link.refusal(failure.result, failure.detail)
    } catch {
      throw ceremony.link.refusal(.cannotUse, "the authenticator gave values that do not fit an attestation")
    }
    current.keyID = key.keyID
    offered = current
    return key
  }

  /// Sends the new credential and returns the server's verdict, whose signature nobody has checked.
  public mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict {
    guard let current = offered.take(), let response = current.response, let keyID = current.keyID else {
      throw ceremony.outOfTurn()
    }
    let tokens = try ceremony.submit(
      response.json, origin: ceremony.origin(of: current.relyingParty), over: &transport)
    return .accepted(
      Acceptance(
        tokens: tokens, username: ceremony.username,
        expected: ExpectedVerdict(.registration, for: current.purpose, keyIDs: [keyID]),
        challenge: current.offer.challenge))
  }

  /// Fails: no key authorises another one in WebAuthn.
  public mutating func authorize<Signer: AssertionSigner & ~Copyable>(
    with signer: inout Signer, describedBy authenticators: [AuthenticatorDescription]
  ) throws(Refusal) { throw ceremony.outOfTurn() }

  /// Nil: a relying party demands nothing further.
  public func furtherAuthentication() -> (any LoginFlow)? { nil }
}

/// An authenticator that is about to get a new credential of WebAuthn.
public protocol CredentialMaker: ~Copyable {
  /// The authenticator's model, by which it is chosen here.
  var aaid: AAID { get }

  /// The authenticator's model, as the server sees it.
  var aaguid: AAGUID { get }

  /// Makes a key pair for a relying party; it is kept only once the server has accepted it.
  ///
  /// - Parameter algorithm: one of ``WebAuthn/COSEAlgorithm/ofOwnKeys``.
  /// - Throws: ``SigningFailure``.
  mutating func makeCredential(
    relyingPartyID: String, userHandle: [UInt8], _ algorithm: COSEAlgorithm
  ) throws(SigningFailure) -> NewKey

  /// Signs authenticator data and the hash of client data with the new key, and returns the raw signature, 64 bytes.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func sign(credentialData: [UInt8]) throws(SigningFailure) -> [UInt8]
}

extension COSEAlgorithm {
  /// The algorithms of the keys here: EdDSA only where the server does not take ES256.
  static let ofOwnKeys: [COSEAlgorithm] = [.es256, .edDSA]

  /// The COSE key of a public key as the authenticator states it.
  ///
  /// - Throws: ``WebAuthnError/invalidKey(_:)`` for what is no key of this algorithm, and for RS256.
  func key(of publicKey: [UInt8]) throws(WebAuthnError) -> COSEKey {
    switch self {
    case .es256: try COSEKey(es256: publicKey)
    case .edDSA: try COSEKey(ed25519: publicKey)
    case .rs256: throw .invalidKey("key")
    }
  }

  /// A raw signature in the form of WebAuthn Level 3, section 6.5.5.
  ///
  /// - Throws: ``CryptoError/invalidSignature`` for any other number of bytes than 64, and for RS256.
  func signature(raw: [UInt8]) throws(CryptoError) -> [UInt8] {
    switch self {
    case .es256: return try ECDSASignature(raw: raw).der
    case .edDSA:
      guard raw.count == Ed25519.signatureByteCount else { throw .invalidSignature }
      return raw
    case .rs256: throw .invalidSignature
    }
  }
}
