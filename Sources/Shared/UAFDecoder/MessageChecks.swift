import UAFCrypto
import UAFMessages

/// Checks that need only the message: its form, the hash of its parameters, a signature by a key inside it.
struct MessageChecks {
  private(set) var checks: [MessageCheck] = []

  init() {}

  init(_ message: JSONObject, name: String) {
    let bytes = JSONValue.array([.object(message)]).bytes
    do throws(MessageError) {
      if message["assertions"] == nil {
        _ = try UAFRequest(parsing: bytes)
        checks.append(MessageCheck(.holds, "\(name) has the members and types of a UAF request"))
        checks.append(MessageCheck(.unknown, "\(name): whether its sender is the server of the AppID"))
      } else {
        read(try UAFResponse(parsing: bytes), name)
      }
    } catch {
      checks.append(MessageCheck(.fails, "\(name): \(error.description)"))
    }
  }

  private mutating func read(_ response: UAFResponse, _ name: String) {
    checks.append(MessageCheck(.holds, "\(name) has the members and types of a UAF response"))
    let parameters = try? FinalChallengeParams(encoded: response.fcParams)
    checks.append(MessageCheck(parameters != nil, "\(name): fcParams decodes to final challenge parameters"))
    if let parameters, let appID = response.header.appID, !appID.isEmpty {
      checks.append(
        MessageCheck(
          parameters.appID == appID,
          "\(name): the AppID in fcParams is the AppID in the "
            + "header"))
    }
    switch response {
    case .registration(let response):
      for (index, assertion) in response.assertions.enumerated() {
        registration(assertion.assertion, fcParams: response.fcParams, "\(name), assertion \(index + 1)")
      }
    case .authentication(let response):
      for (index, assertion) in response.assertions.enumerated() {
        authentication(assertion.assertion, fcParams: response.fcParams, "\(name), assertion \(index + 1)")
      }
    }
    checks.append(
      MessageCheck(
        .unknown,
        "\(name): whether the server issued this challenge, for this purpose and only "
          + "once"))
    checks.append(
      MessageCheck(.unknown, "\(name): whether the facet, the channel binding and the policy are right for the server"))
  }

  /// Checks an assertion without its message; anything that is not an authentication is treated as a registration.
  mutating func bare(_ bytes: [UInt8]) {
    let name = "bare assertion"
    if (try? TLVElement.single(in: bytes))?.tag == .authenticationAssertion {
      let read = { () throws(TLVError) in try UnverifiedAuthenticationAssertion(parsing: bytes) }
      guard let assertion = wellFormed(name, read) else { return }
      authentication(assertion, name)
    } else {
      let read = { () throws(TLVError) in try UnverifiedRegistrationAssertion(parsing: bytes) }
      guard let assertion = wellFormed(name, read) else { return }
      // The signature covers only content of the assertion, so that it can be verified without the message.
      registration(assertion, name)
    }
    checks.append(MessageCheck(.unknown, "\(name): its FinalChallengeHash: fcParams is in the surrounding message"))
  }

  private mutating func registration(_ bytes: [UInt8], fcParams: String, _ name: String) {
    let read = { () throws(TLVError) in try UnverifiedRegistrationAssertion(parsing: bytes) }
    guard let assertion = wellFormed(name, read) else { return }
    finalChallengeHash(assertion.finalChallengeHash, fcParams, name)
    registration(assertion, name)
  }

  private mutating func registration(_ assertion: UnverifiedRegistrationAssertion, _ name: String) {
    verificationMethods(assertion.verificationMethods, name)
    switch assertion.attestation {
    case .surrogate(let signature):
      surrogate(signature, assertion, name)
      checks.append(MessageCheck(.unknown, "\(name): which model made it: a surrogate attestation does not prove that"))
    case .full(let signature, let certificates):
      leafSignature(signature, by: certificates.first ?? [], assertion, name)
      let count = certificates.count == 1 ? "1 certificate" : "\(certificates.count) certificates"
      checks.append(
        MessageCheck(.unknown, "\(name): whether the attestation key is trusted (\(count)): the metadata has the root"))
    case .ecdaa: checks.append(MessageCheck(.unknown, "\(name): the attestation: ECDAA is not verified here"))
    }
  }

  private mutating func authentication(_ bytes: [UInt8], fcParams: String, _ name: String) {
    let read = { () throws(TLVError) in try UnverifiedAuthenticationAssertion(parsing: bytes) }
    guard let assertion = wellFormed(name, read) else { return }
    finalChallengeHash(assertion.finalChallengeHash, fcParams, name)
    authentication(assertion, name)
  }

  private mutating func authentication(_ assertion: UnverifiedAuthenticationAssertion, _ name: String) {
    verificationMethods(assertion.verificationMethods, name)
    checks.append(
      MessageCheck(.unknown, "\(name): the signature: the public key is with the server that registered it"))
    checks.append(
      MessageCheck(.unknown, "\(name): whether the SignCounter \(assertion.signCounter) is above the last counter"))
    if assertion.authenticationMode == .transactionConfirmed {
      checks.append(
        MessageCheck(.unknown, "\(name): whether the transaction's hash is the hash of the text that the server sent"))
    }
  }

  private mutating func wellFormed<Assertion>(
    _ name: String, _ read: () throws(TLVError) -> Assertion
  ) -> Assertion? {
    do throws(TLVError) {
      let assertion = try read()
      checks.append(MessageCheck(.holds, "\(name) is well-formed"))
      return assertion
    } catch {
      checks.append(MessageCheck(.fails, "\(name): \(error.description)"))
      return nil
    }
  }

  private mutating func finalChallengeHash(_ hash: [UInt8], _ fcParams: String, _ name: String) {
    let expected = try? SHA256.hash(Array(fcParams.utf8))
    checks.append(MessageCheck(hash == expected, "\(name): the FinalChallengeHash is the SHA-256 of fcParams"))
  }

  /// A signature by the leaf's key does not show whose key that is.
  private mutating func leafSignature(
    _ signature: [UInt8], by leaf: [UInt8], _ assertion: UnverifiedRegistrationAssertion, _ name: String
  ) {
    guard let scheme = SignatureScheme(rawValue: assertion.signatureAlgorithm) else {
      checks.append(MessageCheck(.unknown, "\(name): the attestation's signature: its algorithm is not known here"))
      return
    }
    guard let encoded = try? X509.uncheckedSubjectPublicKeyInfo(der: leaf),
      let key = try? VerificationKey(subjectPublicKeyInfo: encoded, scheme: scheme)
    else {
      checks.append(MessageCheck(.fails, "\(name): the first certificate has a key for the signature's algorithm"))
      return
    }
    let holds = key.isValidSignature(signature, of: assertion.signedBytes)
    checks.append(MessageCheck(holds, "\(name): the attestation's signature is made with the first certificate's key"))
  }

  private mutating func verificationMethods(_ methods: [UserVerificationMethodEntry]?, _ name: String) {
    guard methods != nil else { return }
    checks.append(
      MessageCheck(
        .unknown,
        "\(name): whether the person was verified in a way that the model supports: the metadata "
          + "says"))
  }

  private mutating func surrogate(
    _ signature: [UInt8], _ assertion: UnverifiedRegistrationAssertion, _ name: String
  ) {
    guard let scheme = SignatureScheme(rawValue: assertion.signatureAlgorithm) else {
      checks.append(MessageCheck(.unknown, "\(name): the surrogate signature: its algorithm is not known here"))
      return
    }
    guard let encoding = PublicKeyEncoding(rawValue: assertion.publicKeyAlgorithm),
      let key = try? VerificationKey(assertion.publicKey, encoding: encoding, scheme: scheme)
    else {
      checks.append(MessageCheck(.fails, "\(name): the public key is a key for the signature's algorithm"))
      return
    }
    let holds = key.isValidSignature(signature, of: assertion.signedBytes)
    checks.append(MessageCheck(holds, "\(name): the surrogate signature was made with the registered key"))
  }
}

/// One statement about a message that was verified, or could not be.
public struct MessageCheck: Equatable, Sendable {
  /// The result of a check.
  public enum Outcome: Equatable, Sendable {
    case holds
    case fails
    /// The message alone does not show this.
    case unknown
  }

  /// The result of the check.
  public let outcome: Outcome
  /// The checked property, as a statement.
  public let statement: String

  init(_ outcome: Outcome, _ statement: String) {
    self.outcome = outcome
    self.statement = statement
  }

  init(_ holds: Bool, _ statement: String) {
    self.init(holds ? .holds : .fails, statement)
  }

  var line: String {
    switch outcome {
    case .holds: "ok    \(statement)"
    case .fails: "FAIL  \(statement)"
    case .unknown: "?     \(statement)"
    }
  }
}
