import UAFCrypto
import UAFMessages

/// A new key whose attestation, challenge and policy were checked.
///
/// Only ``Verifier`` makes one.
package struct VerifiedRegistration: Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// As ``VerificationKey`` has it to be stored.
  package let publicKey: [UInt8]
  /// How the key will sign, by the model's statement: an assertion with full attestation says how another key signs.
  package let signatureAlgorithm: UInt16
  package let authenticatorVersion: UInt16
  package let signCounter: UInt32
  package let regCounter: UInt32
  /// How the authenticator draws pictures, by its own word; kept for requests with pictures, of which there are none yet.
  package let displays: [DisplayPNGCharacteristics]

  /// Not to be called by anything but the verifier, whose checks it takes for granted.
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
