import UAFCrypto
import UAFMessages

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
