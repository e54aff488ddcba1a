import UAFCrypto
import UAFMessages

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
    var verified: [(VerifiedRegistration, AuthenticatorDescription)] = []
    var firstRefusal: ServiceRefusal?
    for assertion in response.assertions {
      do throws(ServiceRefusal) {
        let entry = try verify(assertion, finalChallengeHash: hash, issued: issued, isRegistered: isRegistered)
        let isRepeated = verified.contains { $0.0.keyID == entry.0.keyID && $0.0.aaid == entry.0.aaid }
        guard !isRepeated else { throw .keyAlreadyRegistered }
        verified.append(entry)
      } catch {
        firstRefusal = firstRefusal ?? error
      }
    }
    guard !verified.isEmpty else { throw firstRefusal ?? .malformedAssertion }
    let members = members(of: verified, meeting: issued.policy, appID: issued.appID)
    // If a set is not met because an assertion of it was refused, that assertion's reason is thrown.
    guard !members.isEmpty else { throw firstRefusal ?? .notInPolicy }
    return members
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
    // Checked again with the type of attestation that was used: the policy may name fewer types than the model has.
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

  /// "Exceedingly high" in the protocol's words: no person registers this often with one authenticator.
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
  /// How the new key signs, by the model's statement.
  ///
  /// (With full attestation the assertion's own algorithm is that of the attestation key.)
  package let signatureAlgorithm: UInt16
  package let authenticatorVersion: UInt16
  package let signCounter: UInt32
  package let regCounter: UInt32
  /// How the authenticator says it shows pictures; stored for later, since the server sends no pictures yet.
  package let displays: [DisplayPNGCharacteristics]

  /// For the verifier alone, which has checked the assertion.
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
