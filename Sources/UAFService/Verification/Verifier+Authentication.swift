import UAFCrypto
import UAFMessages

extension Verifier {
  /// Verifies an authentication response (UAF protocol 1.1, section 3.5.7.5).
  ///
  /// An assertion that fails is skipped; if none is left, the first one's reason is the answer.
  ///
  /// - Parameter keys: every key of the account that was asked for, revoked ones included.
  func verify(
    _ response: AuthenticationResponse, issued: IssuedRequest, keys: [StoredKey]
  ) -> VerificationResult<VerifiedAuthentication> {
    if let refusal = refusal(header: response.header, fcParams: response.fcParams, issued: issued) {
      return .refused(refusal)
    }
    guard let hash = finalChallengeHash(response.fcParams) else { return .refused(.internalError) }
    var verified: [(VerifiedAuthentication, AuthenticatorDescription)] = []
    var firstRefusal: Refusal?
    for assertion in response.assertions {
      do throws(Refusal) {
        let entry = try verify(assertion, finalChallengeHash: hash, issued: issued, keys: keys)
        // The second signature with one key would have to beat the counter of the first.
        guard !verified.contains(where: { $0.0.keyID == entry.0.keyID && $0.0.aaid == entry.0.aaid }) else {
          throw .counterNotIncreased
        }
        verified.append(entry)
      } catch {
        firstRefusal = firstRefusal ?? error
      }
    }
    guard !verified.isEmpty else { return .refused(firstRefusal ?? .malformedAssertion) }
    let members = members(of: verified, meeting: issued.policy, appID: issued.appID)
    // Of a set that is not met, the reason is that of the member that failed, if one was sent.
    return members.isEmpty ? .refused(firstRefusal ?? .notInPolicy) : .accepted(members)
  }

  /// The key that signed an answer well, but for a counter that did not grow; told to whoever has the key, and to nobody else.
  func keyAhead(of response: AuthenticationResponse, issued: IssuedRequest, keys: [StoredKey]) -> StoredKey? {
    guard let hash = finalChallengeHash(response.fcParams) else { return nil }
    for envelope in response.assertions {
      do throws(Refusal) { _ = try verify(envelope, finalChallengeHash: hash, issued: issued, keys: keys) } catch {
        guard error == .counterNotIncreased,
          let assertion = try? UnverifiedAuthenticationAssertion(parsing: envelope.assertion)
        else { continue }
        return keys.first { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID }
      }
    }
    return nil
  }

  private func verify(
    _ envelope: AuthenticatorSignAssertion, finalChallengeHash: [UInt8], issued: IssuedRequest, keys: [StoredKey]
  ) throws(Refusal) -> (VerifiedAuthentication, AuthenticatorDescription) {
    guard let assertion = try? UnverifiedAuthenticationAssertion(parsing: envelope.assertion) else {
      throw .malformedAssertion
    }
    guard let model = models[assertion.aaid] else { throw .unknownAAID }
    guard envelope.assertionScheme == model.description.assertionScheme else { throw .unknownScheme }
    guard assertion.authenticatorVersion >= model.description.authenticatorVersion else {
      throw .outdatedAuthenticator
    }
    let description = description(
      model, version: assertion.authenticatorVersion, keyIDs: [assertion.keyID], appID: issued.appID)
    // Before the policy, which names the account's keys: an unknown key has a status of its own.
    guard let key = keys.first(where: { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID }) else {
      throw .unknownKeyID
    }
    guard meets(issued.policy, description, appID: issued.appID) else { throw .notInPolicy }
    guard assertion.finalChallengeHash == finalChallengeHash else { throw .wrongFinalChallengeHash }
    guard assertion.signatureAlgorithm == key.signatureAlgorithm else { throw .unacceptableAlgorithm }
    guard let scheme = SignatureScheme(rawValue: key.signatureAlgorithm),
      let publicKey = try? VerificationKey(encoded: key.publicKey, scheme: scheme),
      publicKey.isValidSignature(assertion.signature, of: assertion.signedBytes)
    else { throw .invalidSignature }
    // What follows tells of the account, and so only to whoever has its key.
    guard !key.isRevoked else { throw .revokedKey }
    try verifyTransaction(of: assertion, issued: issued)
    try verify(assertion.verificationMethods, model: model)
    guard isFresh(assertion.signCounter, stored: key.signCounter) else { throw .counterNotIncreased }
    return (VerifiedAuthentication(uncheckedAssertion: assertion, bytes: envelope.assertion), description)
  }

  /// Both zero means that the authenticator does not count; otherwise an equal or lower counter is a copy of the key.
  private func isFresh(_ counter: UInt32, stored: UInt32) -> Bool {
    counter > stored || (counter == 0 && stored == 0)
  }

  /// Mode 2 needs the text that was asked for; where a text was asked for, mode 1 confirms nothing.
  private func verifyTransaction(
    of assertion: UnverifiedAuthenticationAssertion, issued: IssuedRequest
  ) throws(Refusal) {
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
