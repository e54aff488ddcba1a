import UAFMessages

/// A new key whose attestation, challenge and policy were checked.
///
/// Only ``Verifier`` makes one.
struct VerifiedRegistration: Sendable {
  let aaid: AAID
  let keyID: KeyID
  /// 65 bytes, on the curve.
  let publicKey: [UInt8]
  /// How the key will sign: the assertion's own statement, which agrees with the model's.
  let signatureAlgorithm: UInt16
  let authenticatorVersion: UInt16
  let signCounter: UInt32
  let regCounter: UInt32

  /// Not to be called by anything but the verifier, whose checks it takes for granted.
  init(uncheckedAssertion assertion: UnverifiedRegistrationAssertion, publicKey: [UInt8]) {
    aaid = assertion.aaid
    keyID = assertion.keyID
    self.publicKey = publicKey
    signatureAlgorithm = assertion.signatureAlgorithm
    authenticatorVersion = assertion.authenticatorVersion
    signCounter = assertion.signCounter
    regCounter = assertion.regCounter
  }
}
