import AuthenticatorTypes
import UAFCrypto
import UAFMessages

/// The server's rules for answers (UAF protocol 1.1, sections 3.4.6.5 and 3.5.7.5).
///
/// It uses no store, no clock and no network: the caller passes everything that it needs.
struct Verifier: Sendable {
  let identity: ServerIdentity
  let models: AuthenticatorModels
  /// Seconds since 1970, for the validity of attestation certificates.
  let now: Int64
  var verificationMethods = VerificationMethodPolicy.off
  var checksChannelBinding = true  // not in a message that a different message carries, which names the connection

  /// The checks of a whole message: header, final challenge parameters, facet and channel binding.
  ///
  /// If the caller has parsed the parameters before, it passes them as `read`.
  func check(
    _ header: OperationHeader, fcParams: String, read: FinalChallengeParams? = nil, issued: IssuedRequest
  ) throws(ServiceRefusal) {
    guard header.op == issued.operation else { throw .otherOperation }
    guard header.serverData?.isIdentical(to: issued.serverData) == true else { throw .invalidServerData }
    guard let appID = header.appID, appID.isIdentical(to: issued.appID) else { throw .otherAppID }
    guard let parameters = try? read ?? FinalChallengeParams(encoded: fcParams) else { throw .malformedFinalChallenge }
    guard parameters.appID.isIdentical(to: issued.appID) else { throw .otherAppID }
    guard let challenge = try? Base64URL.decode(parameters.challenge, maximumCount: 64),
      let hash = try? SHA256.hash(challenge), hash == issued.challengeHash
    else { throw .unknownChallenge }
    guard identity.trustedFacets.trusts(parameters.facetID, version: header.upv) else { throw .untrustedFacet }
    guard !checksChannelBinding || identity.accepts(parameters.channelBinding) else { throw .channelBindingMismatch }
  }

  /// The authenticator model that an assertion names.
  ///
  /// The assertion must have the model's scheme, and at least its version.
  ///
  /// - Throws: ``ServiceRefusal``.
  func model(_ aaid: AAID, scheme: String, version: UInt16) throws(ServiceRefusal) -> AuthenticatorModel {
    guard let model = models[aaid] else { throw .unknownAAID }
    guard scheme == model.description.assertionScheme else { throw .unknownScheme }
    guard version >= model.description.authenticatorVersion else { throw .outdatedAuthenticator }
    return model
  }

  /// The model's description, with the version and the KeyIDs of an assertion.
  func description(_ model: AuthenticatorModel, version: UInt16, keyIDs: [KeyID], appID: String)
    -> AuthenticatorDescription
  {
    var description = model.description
    description.authenticatorVersion = version
    description.registrations = [.init(appID: appID, keyIDs: keyIDs)]
    return description
  }

  /// Whether an authenticator meets an accepted criterion of the policy that was sent, and no disallowed one.
  func meets(_ policy: Policy, _ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    guard !policy.disallowed.contains(where: { $0.matches(authenticator, appID: appID) }) else { return false }
    return policy.accepted.joined().contains { $0.matches(authenticator, appID: appID) }
  }

  /// The valid assertions that together meet an alternative of the policy: the first one that can be met.
  ///
  /// An assertion that fails is skipped; if none is left, the first one's reason is thrown. Of each model only the first valid
  /// assertion is used. Each criterion of an alternative needs an authenticator of its own, and the server cannot distinguish
  /// two authenticators of one model from one that signs twice.
  ///
  /// - Parameters:
  ///   - repeated: the reason for which a second valid assertion of the same key is refused.
  ///   - verify: verifies one assertion, and returns with it a description of its authenticator that names only this key.
  private func members<Sent, Verified>(
    of assertions: [Sent], issued: IssuedRequest, repeated: ServiceRefusal,
    verify: (Sent) throws(ServiceRefusal) -> (Verified, AuthenticatorDescription)
  ) throws(ServiceRefusal) -> [Verified] {
    var valid: [(Verified, AuthenticatorDescription)] = []
    var firstRefusal: ServiceRefusal?
    for assertion in assertions {
      do throws(ServiceRefusal) {
        let entry = try verify(assertion)
        let isRepeated = valid.contains {
          $0.1.aaid == entry.1.aaid && $0.1.registrations == entry.1.registrations
        }
        guard !isRepeated else { throw repeated }
        valid.append(entry)
      } catch {
        firstRefusal = firstRefusal ?? error
      }
    }
    guard !valid.isEmpty else { throw firstRefusal ?? .malformedAssertion }
    var candidates: [(Verified, AuthenticatorDescription)] = []
    for entry in valid where !candidates.contains(where: { $0.1.aaid == entry.1.aaid }) { candidates.append(entry) }
    // If no alternative is met and an assertion was refused, that reason is thrown: without the refusal an alternative might
    // have been met.
    let sets = issued.policy.acceptableSets(among: candidates.map(\.1), appID: issued.appID)
    guard let chosen = sets.first, !chosen.isEmpty else { throw firstRefusal ?? .notInPolicy }
    return candidates.filter { entry in chosen.contains { $0.aaid == entry.1.aaid } }.map(\.0)
  }

  /// The FinalChallengeHash: the SHA-256 of the text as it was sent, not of its decoded bytes.
  func finalChallengeHash(_ fcParams: String) -> [UInt8]? {
    try? SHA256.hash(Array(fcParams.utf8))
  }
}

extension Verifier {
  /// Verifies an authentication response (UAF protocol 1.1, section 3.5.7.5).
  ///
  /// An assertion that fails is skipped; if none is left, the first one's reason is thrown.
  ///
  /// - Parameter keys: all keys of the account that the request names, revoked ones included.
  func verify(
    _ response: AuthenticationResponse, read: FinalChallengeParams? = nil, issued: IssuedRequest, keys: [StoredKey]
  ) throws(ServiceRefusal) -> [VerifiedAuthentication] {
    try check(response.header, fcParams: response.fcParams, read: read, issued: issued)
    guard let hash = finalChallengeHash(response.fcParams) else { throw .internalError }
    // A second signature by the same key would need a higher counter than the first.
    return try members(of: response.assertions, issued: issued, repeated: .counterNotIncreased) {
      (assertion) throws(ServiceRefusal) in
      try verify(assertion, finalChallengeHash: hash, issued: issued, keys: keys)
    }
  }

  /// The key whose signature is valid, but whose counter did not increase.
  ///
  /// Only whoever has the key can learn this.
  func keyAhead(of response: AuthenticationResponse, issued: IssuedRequest, keys: [StoredKey]) -> StoredKey? {
    guard let hash = finalChallengeHash(response.fcParams) else { return nil }
    for sent in response.assertions {
      do throws(ServiceRefusal) { _ = try verify(sent, finalChallengeHash: hash, issued: issued, keys: keys) } catch {
        guard error == .counterNotIncreased,
          let assertion = try? UnverifiedAuthenticationAssertion(parsing: sent.assertion)
        else { continue }
        return keys.first { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID }
      }
    }
    return nil
  }

  private func verify(
    _ envelope: AuthenticatorSignAssertion, finalChallengeHash: [UInt8], issued: IssuedRequest, keys: [StoredKey]
  ) throws(ServiceRefusal) -> (VerifiedAuthentication, AuthenticatorDescription) {
    guard let assertion = try? UnverifiedAuthenticationAssertion(parsing: envelope.assertion) else {
      throw .malformedAssertion
    }
    let model = try model(assertion.aaid, scheme: envelope.assertionScheme, version: assertion.authenticatorVersion)
    let description = description(
      model, version: assertion.authenticatorVersion, keyIDs: [assertion.keyID], appID: issued.appID)
    // Checked before the policy. The policy names the account's keys, so it would refuse an unknown key too, but an unknown key
    // has a status of its own.
    guard let key = keys.first(where: { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID }) else {
      throw .unknownKeyID
    }
    guard meets(issued.policy, description, appID: issued.appID) else { throw .notInPolicy }
    guard assertion.finalChallengeHash == finalChallengeHash else { throw .wrongFinalChallengeHash }
    guard assertion.signatureAlgorithm == key.signatureAlgorithm else { throw .unacceptableAlgorithm }
    guard let scheme = SignatureScheme(rawValue: key.signatureAlgorithm),
      VerificationKey(stored: key.publicKey, scheme: scheme)
        .isValidSignature(assertion.signature, of: assertion.signedBytes)
    else { throw .invalidSignature }
    // The refusals from here on reveal something about the account. The signature is valid, so only somebody with the account's
    // key receives them.
    guard !key.isRevoked else { throw .revokedKey }
    try verifyTransaction(of: assertion, issued: issued)
    try verify(assertion.verificationMethods, model: model)
    guard isFresh(assertion.signCounter, stored: key.signCounter) else { throw .counterNotIncreased }
    return (VerifiedAuthentication(uncheckedAssertion: assertion, bytes: envelope.assertion), description)
  }

  /// Whether a counter shows that the signature is new.
  ///
  /// If both counters are zero, the authenticator has none.
  ///
  /// Otherwise a counter that is not higher means that there is a copy of the key.
  private func isFresh(_ counter: UInt32, stored: UInt32) -> Bool {
    counter > stored || (counter == 0 && stored == 0)
  }

  /// Checks that the person confirmed exactly the request's transaction text (mode 2), or that there is none (mode 1).
  private func verifyTransaction(
    of assertion: UnverifiedAuthenticationAssertion, issued: IssuedRequest
  ) throws(ServiceRefusal) {
    switch (assertion.authenticationMode, issued.transaction) {
    case (.userVerified, nil): return
    case (.transactionConfirmed, let transaction?):
      guard let hash = try? SHA256.hash(transaction.content), hash == assertion.transactionContentHash else {
        throw .wrongTransaction
      }
    case (.userVerified, .some), (.transactionConfirmed, nil): throw .wrongTransaction
    }
  }
}

/// A valid signature by a key that may be used.
///
/// Only ``Verifier`` makes one.
package struct VerifiedAuthentication: Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// It must be stored before the answer is accepted.
  package let signCounter: UInt32
  package let authenticatorVersion: UInt16
  /// The assertion as it was sent.
  package let assertion: [UInt8]

  /// Only for ``Verifier``, which has checked the assertion before.
  init(uncheckedAssertion assertion: UnverifiedAuthenticationAssertion, bytes: [UInt8]) {
    self.assertion = bytes
    aaid = assertion.aaid
    keyID = assertion.keyID
    signCounter = assertion.signCounter
    authenticatorVersion = assertion.authenticatorVersion
  }
}

extension Verifier {
  /// Verifies a registration response (UAF protocol 1.1, section 3.4.6.5).
  ///
  /// An assertion that fails is skipped; if none is left, the first one's reason is thrown.
  ///
  /// - Parameter isRegistered: whether the server already has this key, for any account.
  func verify(
    _ response: RegistrationResponse, issued: IssuedRequest, isRegistered: (AAID, KeyID) -> Bool
  ) throws(ServiceRefusal) -> [VerifiedRegistration] {
    try check(response.header, fcParams: response.fcParams, issued: issued)
    guard let hash = finalChallengeHash(response.fcParams) else { throw .internalError }
    return try members(of: response.assertions, issued: issued, repeated: .keyAlreadyRegistered) {
      (assertion) throws(ServiceRefusal) in
      try verify(assertion, finalChallengeHash: hash, issued: issued, isRegistered: isRegistered)
    }
  }

  private func verify(
    _ envelope: AuthenticatorRegistrationAssertion, finalChallengeHash: [UInt8], issued: IssuedRequest,
    isRegistered: (AAID, KeyID) -> Bool
  ) throws(ServiceRefusal) -> (VerifiedRegistration, AuthenticatorDescription) {
    guard let assertion = try? UnverifiedRegistrationAssertion(parsing: envelope.assertion) else {
      throw .malformedAssertion
    }
    let model = try model(assertion.aaid, scheme: envelope.assertionScheme, version: assertion.authenticatorVersion)
    var description = description(
      model, version: assertion.authenticatorVersion, keyIDs: [assertion.keyID], appID: issued.appID)
    guard meets(issued.policy, description, appID: issued.appID) else { throw .notInPolicy }
    guard assertion.finalChallengeHash == finalChallengeHash else { throw .wrongFinalChallengeHash }
    guard assertion.regCounter <= Self.maximumRegistrationCounter else { throw .unlikelyRegistrationCounter }
    let publicKey = try publicKey(of: assertion, model: model)
    try verifyAttestation(of: assertion, model: model, publicKey: publicKey)
    try verify(assertion.verificationMethods, model: model)
    guard !isRegistered(assertion.aaid, assertion.keyID) else { throw .keyAlreadyRegistered }
    // The policy is checked again, now with the attestation type of this assertion: it may allow fewer types than the model
    // has.
    description.attestationTypes = [assertion.attestation.type]
    guard meets(issued.policy, description, appID: issued.appID) else { throw .otherAttestationType }
    let verified = VerifiedRegistration(
      uncheckedAssertion: assertion, publicKey: publicKey, displays: envelope.tcDisplayPNGCharacteristics)
    return (verified, description)
  }

  private func publicKey(
    of assertion: UnverifiedRegistrationAssertion, model: AuthenticatorModel
  ) throws(ServiceRefusal) -> VerificationKey {
    guard assertion.publicKeyAlgorithm == model.publicKeyEncoding.rawValue,
      let key = try? VerificationKey(assertion.publicKey, encoding: model.publicKeyEncoding, scheme: model.scheme)
    else { throw .unacceptableKey }
    return key
  }

  /// The highest accepted registration counter.
  ///
  /// The protocol has the server refuse one that is "exceedingly high": nobody registers this often with one authenticator.
  private static let maximumRegistrationCounter: UInt32 = 100_000
}

/// A new key whose attestation, challenge and policy were checked.
///
/// Only ``Verifier`` makes one.
package struct VerifiedRegistration: Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// In the form of ``VerificationKey/encoded``.
  package let publicKey: [UInt8]
  /// The algorithm with which the new key signs, according to the model's metadata statement.
  ///
  /// (With full attestation the assertion's own algorithm is that of the attestation key.)
  package let signatureAlgorithm: UInt16
  package let authenticatorVersion: UInt16
  package let signCounter: UInt32
  package let regCounter: UInt32
  /// The authenticator's description of how it displays images.
  ///
  /// It is stored for later use: the server sends no images yet.
  package let displays: [DisplayPNGCharacteristics]

  /// Only for ``Verifier``, which has checked the assertion before.
  init(
    uncheckedAssertion assertion: UnverifiedRegistrationAssertion, publicKey: VerificationKey,
    displays: [DisplayPNGCharacteristics]
  ) {
    self.displays = displays
    aaid = assertion.aaid
    keyID = assertion.keyID
    self.publicKey = publicKey.encoded
    signatureAlgorithm = publicKey.scheme.rawValue
    authenticatorVersion = assertion.authenticatorVersion
    signCounter = assertion.signCounter
    regCounter = assertion.regCounter
  }
}

extension Verifier {
  /// Verifies the attestation of a new key (UAF protocol 1.1, section 3.4.6.5, rule 5.7).
  ///
  /// A model with roots must use full attestation, a model without roots surrogate attestation. ECDAA is optional in UAF and not
  /// supported here.
  ///
  /// - Parameter publicKey: the new key, which is checked already.
  func verifyAttestation(
    of assertion: UnverifiedRegistrationAssertion, model: AuthenticatorModel, publicKey: VerificationKey
  ) throws(ServiceRefusal) {
    let isKnownType = model.description.attestationTypes.contains(assertion.attestation.type)
    switch assertion.attestation {
    case .ecdaa: throw .ecdaaNotSupported
    case .surrogate(let signature):
      guard isKnownType, model.attestationRootCertificates.isEmpty else { throw .otherAttestationType }
      guard assertion.signatureAlgorithm == model.scheme.rawValue else { throw .unacceptableAlgorithm }
      guard publicKey.isValidSignature(signature, of: assertion.signedBytes) else { throw .invalidAttestationSignature }
    case .full(let signature, let certificates):
      guard isKnownType, !model.attestationRootCertificates.isEmpty else { throw .otherAttestationType }
      // The attestation key is a different key than the new one, and may use a different algorithm.
      guard let scheme = SignatureScheme(rawValue: assertion.signatureAlgorithm) else { throw .unacceptableAlgorithm }
      let leaf = try leaf(of: certificates, model: model)
      guard let key = try? VerificationKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo, scheme: scheme),
        key.isValidSignature(signature, of: assertion.signedBytes)
      else { throw .invalidAttestationSignature }
    }
  }

  /// The leaf certificate, if its chain ends at a root of the model, and it attests this model and no other.
  private func leaf(of chain: [[UInt8]], model: AuthenticatorModel) throws(ServiceRefusal) -> CertificateChain.Leaf {
    let leaf: CertificateChain.Leaf
    do {
      leaf = try CertificateChain.validate(chain, roots: model.attestationRootCertificates, at: now)
    } catch { throw .untrustedAttestation }
    guard let named = leaf.aaid else {
      // A leaf that names no model could belong to any model with the same root.
      guard !models.sharesRoot(model) else { throw .otherModelAttested }
      return leaf
    }
    guard let aaid = try? AAID(String(decoding: named, as: UTF8.self)), aaid == model.description.aaid else {
      throw .otherModelAttested
    }
    return leaf
  }
}

extension Verifier {
  /// Checks the verification methods that an assertion names against the metadata statement of its model.
  ///
  /// The methods must be exactly those of one of the statement's alternatives. Each protection that the assertion names must be
  /// in the statement.
  ///
  /// - Parameter methods: the methods in the signed part of the assertion; nil if it names none.
  func verify(_ methods: [UserVerificationMethodEntry]?, model: AuthenticatorModel) throws(ServiceRefusal) {
    guard let methods else {
      guard verificationMethods != .require else { throw .verificationMethodMissing }
      return
    }
    let used = Set(methods.map(\.userVerificationMethod))
    guard model.verificationMethods.contains(used) else { throw .otherVerificationMethod }
    for method in methods {
      guard method.keyProtection & ~model.description.keyProtection == 0,
        method.matcherProtection & ~model.description.matcherProtection == 0
      else { throw .otherVerificationMethod }
    }
  }
}

/// The models that a server accepts, in the order of preference.
package struct AuthenticatorModels: Sendable {
  let all: [AuthenticatorModel]
  /// The models of passkeys that a policy can name.
  package let passkeys: PasskeyModels

  package subscript(aaid: AAID) -> AuthenticatorModel? {
    all.first { $0.description.aaid == aaid }
  }

  /// Makes the models from their metadata statements.
  ///
  /// Two statements about one model are an error.
  package init(_ statements: [MetadataStatement], passkeys: PasskeyModels = PasskeyModels()) throws(MetadataError) {
    var models: [AuthenticatorModel] = []
    for statement in statements {
      guard !models.contains(where: { $0.description.aaid == statement.aaid }) else { throw .repeatedModel }
      models.append(try AuthenticatorModel(statement))
    }
    all = models
    self.passkeys = passkeys
  }

  /// Whether a different model shares an attestation root with this model.
  ///
  /// If so, only the leaf certificate shows which of the models attests.
  func sharesRoot(_ model: AuthenticatorModel) -> Bool {
    all.contains { other in
      other.description.aaid != model.description.aaid
        && other.attestationRootCertificates.contains { model.attestationRootCertificates.contains($0) }
    }
  }

  /// The models of this project's own authenticators: software, surrogate attestation, ECDSA P-256 raw.
  package static func projectOwn() throws -> AuthenticatorModels {
    try AuthenticatorModels(AuthenticatorType.allCases.map { try .projectOwn($0) })
  }
}

/// An authenticator model: the part of its metadata statement that the server needs for verification.
package struct AuthenticatorModel: Equatable, Sendable {
  /// The characteristics that policies are matched against; the version is the lowest accepted one.
  package let description: AuthenticatorDescription
  /// The signature scheme of its keys.
  let scheme: SignatureScheme
  /// The encoding of its public keys.
  let publicKeyEncoding: PublicKeyEncoding
  /// The ways in which it verifies the person: alternatives, each with the USER_VERIFY flags of the methods that are used
  /// together.
  let verificationMethods: [Set<UInt32>]
  /// Roots for full attestation, DER.
  ///
  /// If it is empty, the model uses only surrogate attestation.
  let attestationRootCertificates: [[UInt8]]

  /// Makes a model from its statement.
  ///
  /// - Throws: ``MetadataError`` if assertions of the model could not be verified here.
  package init(_ statement: MetadataStatement) throws(MetadataError) {
    guard statement.assertionScheme == AssertionScheme.uafV1TLV else { throw .unknownScheme }
    guard let scheme = SignatureScheme(rawValue: statement.authenticationAlgorithm) else { throw .unknownAlgorithm }
    guard let encoding = PublicKeyEncoding(rawValue: statement.publicKeyAlgAndEncoding), encoding.fits(scheme) else {
      throw .unknownKeyEncoding
    }
    guard statement.attestationRootCertificates.allSatisfy(X509.isCertificate) else { throw .notACertificate }
    description = statement.authenticator
    self.scheme = scheme
    publicKeyEncoding = encoding
    verificationMethods = statement.userVerificationDetails.map { Set($0.map(\.userVerification)) }
    attestationRootCertificates = statement.attestationRootCertificates
  }
}

extension MetadataStatement {
  /// The statement of one of this project's authenticators.
  ///
  /// It states the type's accuracy, and the weakest lock that the configuration allows: the most entries until a lock, and the
  /// shortest lock.
  package static func projectOwn(_ type: AuthenticatorType) throws(MessageError) -> MetadataStatement {
    let maxRetries = UInt16(LockPolicy.retryCountRange.upperBound)
    let blockSlowdown = UInt16(LockPolicy.lockTimeRange.lowerBound.components.seconds)
    let method: VerificationMethodDescriptor
    switch type.accuracy {
    case .code(let base, let minimumLength):
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        caDesc: CodeAccuracyDescriptor(
          base: base, minLength: minimumLength, maxRetries: maxRetries, blockSlowdown: blockSlowdown))
    case .pattern(let minimumComplexity):
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        paDesc: PatternAccuracyDescriptor(
          minComplexity: minimumComplexity, maxRetries: maxRetries, blockSlowdown: blockSlowdown))
    case .unstated: method = VerificationMethodDescriptor(userVerification: type.userVerification)
    }
    return MetadataStatement(
      aaid: try AAID(type.aaid), description: "pam-uaf \(type.rawValue)", userVerificationDetails: [[method]])
  }
}

/// Why the server cannot use a metadata statement, although it could be read.
package enum MetadataError: Error, Equatable, CustomStringConvertible {
  case unknownScheme
  case unknownAlgorithm
  case unknownKeyEncoding
  case notACertificate
  case repeatedModel
  case notAnAAGUID

  /// What is wrong with the statement, and what to do about it.
  package var description: String {
    switch self {
    case .unknownScheme: "its assertionScheme is not UAFV1TLV: remove the statement"
    case .unknownAlgorithm: "its authenticationAlgorithm is none of 1 to 6, 8 and 9: remove the statement"
    case .unknownKeyEncoding: "its publicKeyAlgAndEncoding does not match its algorithm: have its maker correct it"
    case .notACertificate: "one of its attestationRootCertificates is not a certificate: have its maker correct it"
    case .repeatedModel: "another statement has the same aaid or aaguid: remove one of them"
    case .notAnAAGUID: "its aaguid is not a UUID in lower-case digits, or has only zeros: have its maker correct it"
    }
  }
}
