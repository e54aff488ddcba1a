@testable import UAFMessages

extension FuzzTarget {
  /// A registration assertion: what counts is signed, and what our own authenticator would write of it says the same.
  static func registration(_ bytes: [UInt8]) {
    guard let assertion = try? UnverifiedRegistrationAssertion(parsing: bytes) else { return }
    precondition(isInside(assertion.signedBytes, bytes), "the signature covers bytes that were not sent")
    precondition(isInside(assertion.keyID.bytes, assertion.signedBytes), "the KeyID is not signed")
    precondition(isInside(assertion.publicKey, assertion.signedBytes), "the public key is not signed")
    let built = try? RegistrationAssertionBuilder(
      aaid: assertion.aaid, authenticatorVersion: assertion.authenticatorVersion,
      signatureAlgorithm: assertion.signatureAlgorithm, publicKeyAlgorithm: assertion.publicKeyAlgorithm,
      finalChallengeHash: assertion.finalChallengeHash, keyID: assertion.keyID, signCounter: assertion.signCounter,
      regCounter: assertion.regCounter, publicKey: assertion.publicKey,
      verificationMethods: assertion.verificationMethods)
    guard let built, let written = try? built.assertion(attestation: assertion.attestation) else {
      preconditionFailure("reads what it cannot write")
    }
    guard let again = try? UnverifiedRegistrationAssertion(parsing: written) else {
      preconditionFailure("writes what it does not read")
    }
    precondition(
      again.keyID == assertion.keyID && again.publicKey == assertion.publicKey
        && again.finalChallengeHash == assertion.finalChallengeHash && again.attestation == assertion.attestation
        && again.verificationMethods == assertion.verificationMethods, "reads itself otherwise")
  }

  /// The same for an authentication assertion.
  static func authentication(_ bytes: [UInt8]) {
    guard let assertion = try? UnverifiedAuthenticationAssertion(parsing: bytes) else { return }
    precondition(isInside(assertion.signedBytes, bytes), "the signature covers bytes that were not sent")
    precondition(isInside(assertion.finalChallengeHash, assertion.signedBytes), "the challenge is not signed")
    let hash = assertion.transactionContentHash
    let built = try? AuthenticationAssertionBuilder(
      aaid: assertion.aaid, authenticatorVersion: assertion.authenticatorVersion,
      signatureAlgorithm: assertion.signatureAlgorithm, nonce: assertion.nonce,
      finalChallengeHash: assertion.finalChallengeHash, transactionContentHash: hash.isEmpty ? nil : hash,
      keyID: assertion.keyID, signCounter: assertion.signCounter, verificationMethods: assertion.verificationMethods)
    guard let built, let written = try? built.assertion(signature: assertion.signature) else {
      preconditionFailure("reads what it cannot write")
    }
    guard let again = try? UnverifiedAuthenticationAssertion(parsing: written) else {
      preconditionFailure("writes what it does not read")
    }
    precondition(
      again.keyID == assertion.keyID && again.nonce == assertion.nonce && again.signCounter == assertion.signCounter
        && again.authenticationMode == assertion.authenticationMode && again.transactionContentHash == hash
        && again.verificationMethods == assertion.verificationMethods, "reads itself otherwise")
  }

  private static func isInside(_ part: [UInt8], _ whole: [UInt8]) -> Bool {
    part.isEmpty || whole.indices.contains { whole[$0...].starts(with: part) }
  }
}
