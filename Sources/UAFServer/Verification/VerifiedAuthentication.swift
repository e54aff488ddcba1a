import UAFMessages

/// A signature that holds, with a key that may be used.
///
/// Only ``Verifier`` makes one.
struct VerifiedAuthentication: Sendable {
  let aaid: AAID
  let keyID: KeyID
  /// To be stored before anything else is done with this value.
  let signCounter: UInt32
  let authenticatorVersion: UInt16
  /// The assertion as it was sent.
  let assertion: [UInt8]

  /// Not to be called by anything but the verifier, whose checks it takes for granted.
  init(uncheckedAssertion assertion: UnverifiedAuthenticationAssertion, bytes: [UInt8]) {
    self.assertion = bytes
    aaid = assertion.aaid
    keyID = assertion.keyID
    signCounter = assertion.signCounter
    authenticatorVersion = assertion.authenticatorVersion
  }
}
