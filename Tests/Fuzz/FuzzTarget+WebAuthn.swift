import UAFCrypto
import UAFMessages

@testable import CBOR
@testable import WebAuthn

extension FuzzTarget {
  /// One encoding for each value, and nothing read behind the end.
  static func cbor(_ bytes: [UInt8]) {
    do throws(CBORError) {
      let value = try CBORValue(parsing: bytes)
      precondition(value.encoded == bytes, "a second encoding of the same value")
      precondition(isSorted(value), "keys out of order")
    } catch {
      precondition(error.description.unicodeScalars.allSatisfy(FuzzTarget.isHarmless), "steers a terminal")
    }
    var position = 0
    while position < bytes.count {
      let start = position
      guard let value = try? CBORValue.next(in: bytes.span, at: &position) else {
        precondition(position == start, "moved behind what was not read")
        return
      }
      precondition(value.encoded == Array(bytes[start..<position]), "not what stands there")
    }
  }

  private static func isSorted(_ value: CBORValue) -> Bool {
    switch value {
    case .array(let elements): return elements.allSatisfy(isSorted)
    case .map(let map):
      let keys = map.entries.map(\.key.encoded)
      return zip(keys, keys.dropFirst()).allSatisfy(CBORMap.isBefore) && map.entries.allSatisfy { isSorted($0.value) }
    default: return true
    }
  }

  /// What was read, made again, says the same; what has the one form is exactly what we would write.
  static func clientData(_ bytes: [UInt8]) {
    guard let data = try? CollectedClientData(parsing: bytes) else { return }
    let made = CollectedClientData(
      data.type, challenge: data.challenge, origin: data.origin, crossOrigin: data.crossOrigin ?? false,
      topOrigin: data.topOrigin)
    precondition(made.passesLimitedVerification, "not in our own form")
    guard let again = try? CollectedClientData(parsing: made.encoded) else {
      preconditionFailure("writes what it does not read")
    }
    precondition(
      again.origin.isIdentical(to: data.origin) && again.challenge == data.challenge, "reads itself otherwise")
    if data.passesLimitedVerification {
      precondition(bytes.starts(with: made.encoded.dropLast()), "passes without the form")
    }
  }

  /// The members are exactly the bytes.
  static func authenticatorData(_ bytes: [UInt8]) {
    guard let data = try? AuthenticatorData(parsing: bytes) else { return }
    let made = try? AuthenticatorData(
      relyingPartyIDHash: data.relyingPartyIDHash, flags: data.flags, signatureCounter: data.signatureCounter,
      attestedCredential: data.attestedCredential, extensions: data.extensions)
    precondition(made?.encoded == bytes, "writes what it did not read")
    if let key = data.attestedCredential?.publicKey {
      precondition((try? COSEKey(stored: key.encoded)) == key, "a key that is stored otherwise")
      precondition(!key.isValidSignature([], of: bytes), "a signature of nothing")
    }
  }

  /// The same, unless the format is not read, and no relying party takes what nobody signed for it.
  static func attestation(_ bytes: [UInt8]) {
    guard let object = try? AttestationObject(parsing: bytes) else { return }
    if case .unread = object.statement {
      // What vouches in such a format is not kept, so it cannot be written again.
    } else {
      let made = AttestationObject(authenticatorData: object.authenticatorData, statement: object.statement)
      precondition(made.encoded == bytes, "writes what it did not read")
    }
    let response = AttestationResponse(
      clientData: CollectedClientData(.create, challenge: Array(0..<16), origin: "linux://example.org"),
      attestationObject: object)
    precondition((try? AttestationResponse(parsing: response.json.bytes)) == response, "reads itself otherwise")
    guard let relyingPartyID = try? RelyingPartyID("example.org") else { return }
    let expectation = CeremonyExpectation(
      challenge: Array(0..<16), origins: ["linux://example.org"], relyingPartyID: relyingPartyID,
      requiresUserVerification: false)
    let verification = try? RegistrationVerification(
      response, expecting: expectation, algorithms: COSEAlgorithm.allCases)
    switch verification {
    case .accepted(let credential)?:
      precondition(object.statement == .none, "takes a format that is not read, or what nobody signed")
      precondition(credential.attestation == .none, "vouches without a signature")
    case .refused(let reason)?: precondition(reason.description.unicodeScalars.allSatisfy(isHarmless), "no sentence")
    case nil: break
    }
  }

  /// Options and answers in JSON: what was read, written, and read again, is the same.
  static func webAuthnMessage(_ bytes: [UInt8]) {
    if let options = try? PublicKeyCredentialCreationOptions(parsing: bytes) {
      precondition(
        (try? PublicKeyCredentialCreationOptions(parsing: options.json.bytes)) == options,
        "writes what it does not read")
    }
    if let options = try? PublicKeyCredentialRequestOptions(parsing: bytes) {
      precondition(
        (try? PublicKeyCredentialRequestOptions(parsing: options.json.bytes)) == options, "writes what it does not read"
      )
    }
    if let response = try? AttestationResponse(parsing: bytes) {
      precondition((try? AttestationResponse(parsing: response.json.bytes)) == response, "reads itself otherwise")
    }
    if let response = try? AssertionResponse(parsing: bytes) {
      precondition((try? AssertionResponse(parsing: response.json.bytes)) == response, "reads itself otherwise")
    }
  }
}
