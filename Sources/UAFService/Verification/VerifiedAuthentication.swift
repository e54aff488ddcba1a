import UAFMessages

/// A valid signature by a key that may be used.
///
/// Only ``Verifier`` makes one.
package struct VerifiedAuthentication: Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// Must be stored before the answer is accepted.
  package let signCounter: UInt32
  package let authenticatorVersion: UInt16
  /// The assertion as it was sent.
  package let assertion: [UInt8]

  /// For the verifier alone, which has checked the assertion.
  init(uncheckedAssertion assertion: UnverifiedAuthenticationAssertion, bytes: [UInt8]) {
    self.assertion = bytes
    aaid = assertion.aaid
    keyID = assertion.keyID
    signCounter = assertion.signCounter
    authenticatorVersion = assertion.authenticatorVersion
  }
}
