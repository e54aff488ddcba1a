import UAFCrypto
import UAFMessages

extension Verifier {
  /// Verifies an authentication response (UAF protocol 1.1, section 3.5.7.5).
  ///
  /// An assertion that fails is skipped; if none is left, the first one's reason is thrown.
  ///
  /// - Parameter keys: every key of the account that was asked for, revoked ones included.
  func verify(
    _ response: AuthenticationResponse, read: FinalChallengeParams? = nil, issued: IssuedRequest, keys: [StoredKey]
  ) throws(ServiceRefusal) -> [VerifiedAuthentication] {
    try check(response.header, fcParams: response.fcParams, read: read, issued: issued)
    guard let hash = finalChallengeHash(response.fcParams) else { throw .internalError }
    var verified: [(VerifiedAuthentication, AuthenticatorDescription)] = []
    var firstRefusal: ServiceRefusal?
    for assertion in response.assertions {
      do throws(ServiceRefusal) {
        let entry = try verify(assertion, finalChallengeHash: hash, issued: issued, keys: keys)
        // A second signature by the same key would need a higher counter than the first.
        guard !verified.contains(where: { $0.0.keyID == entry.0.keyID && $0.0.aaid == entry.0.aaid }) else {
          throw .counterNotIncreased
        }
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

  /// The key whose signature is valid, but whose counter did not grow.
  ///
  /// Only who has the key can learn this.
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
    // Checked before the policy, which names the account's keys, because an unknown key has a status of its own.
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
    // The reasons from here on tell something about the account, so only who has its key gets them.
    guard !key.isRevoked else { throw .revokedKey }
    try verifyTransaction(of: assertion, issued: issued)
    try verify(assertion.verificationMethods, model: model)
    guard isFresh(assertion.signCounter, stored: key.signCounter) else { throw .counterNotIncreased }
    return (VerifiedAuthentication(uncheckedAssertion: assertion, bytes: envelope.assertion), description)
  }

  /// If both are zero, the authenticator does not count.
  ///
  /// Otherwise a counter that is not higher comes from a copy of the key.
  private func isFresh(_ counter: UInt32, stored: UInt32) -> Bool {
    counter > stored || (counter == 0 && stored == 0)
  }

  /// If a text was asked for, mode 2 with exactly that text is needed; if none was, mode 1.
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
