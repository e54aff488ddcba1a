import UAFMessages

/// A signature that holds, with a key that may be used.
///
/// Only ``Verifier`` makes one.
package struct VerifiedAuthentication: Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// To be stored before anything else is done with this value.
  package let signCounter: UInt32
  package let authenticatorVersion: UInt16
  /// The assertion as it was sent.
  package let assertion: [UInt8]

  /// Not to be called by anything but the verifier, whose checks it takes for granted.
  init(uncheckedAssertion assertion: UnverifiedAuthenticationAssertion, bytes: [UInt8]) {
    self.assertion = bytes
    aaid = assertion.aaid
    keyID = assertion.keyID
    signCounter = assertion.signCounter
    authenticatorVersion = assertion.authenticatorVersion
  }
}
