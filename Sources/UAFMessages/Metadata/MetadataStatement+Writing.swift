extension MetadataStatement {
  /// The statement as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "aaid": aaid.json, "description": .string(description),
      "authenticatorVersion": .integer(Int64(authenticatorVersion)), "upv": .array(upv.map(\.json)),
      "assertionScheme": .string(assertionScheme), "authenticationAlgorithm": .integer(Int64(authenticationAlgorithm)),
      "publicKeyAlgAndEncoding": .integer(Int64(publicKeyAlgAndEncoding)),
      "attestationTypes": .array(attestationTypes.map { .integer(Int64($0)) }),
      "userVerificationDetails": .array(userVerificationDetails.map { .array($0.map(\.json)) }),
      "keyProtection": .integer(Int64(keyProtection)), "isKeyRestricted": .bool(isKeyRestricted),
      "isFreshUserVerificationRequired": .bool(isFreshUserVerificationRequired),
      "matcherProtection": .integer(Int64(matcherProtection)), "attachmentHint": .integer(Int64(attachmentHint)),
      "isSecondFactorOnly": .bool(isSecondFactorOnly), "tcDisplay": .integer(Int64(tcDisplay)),
    ]
    object.set("tcDisplayContentType", tcDisplayContentType.map { .string($0) })
    object.set("tcDisplayPNGCharacteristics", JSONValue.list(tcDisplayPNGCharacteristics))
    let roots = attestationRootCertificates.map { JSONValue.string(Base64.encode($0)) }
    object.set("attestationRootCertificates", .array(roots))
    return .object(object)
  }

  /// What a policy is matched against.
  public var authenticator: AuthenticatorDescription {
    AuthenticatorDescription(
      aaid: aaid, authenticatorVersion: authenticatorVersion, userVerification: userVerification,
      keyProtection: keyProtection, matcherProtection: matcherProtection, attachmentHint: attachmentHint,
      tcDisplay: tcDisplay, authenticationAlgorithm: authenticationAlgorithm, assertionScheme: assertionScheme,
      attestationTypes: attestationTypes)
  }

  /// The USER_VERIFY flags of the statement's alternatives, as policies have them.
  ///
  /// Alternatives of one method each are a choice of flags, a single alternative is all of its flags together. A number
  /// cannot express other alternatives: such a model has 0 here, which only a criterion of 0 matches, and is named by
  /// its AAID.
  public var userVerification: UInt32 {
    if let only = userVerificationDetails.first, userVerificationDetails.count == 1, only.count > 1 {
      return only.reduce(UserVerification.all) { $0 | $1.userVerification }
    }
    guard userVerificationDetails.allSatisfy({ $0.count == 1 }) else { return 0 }
    return userVerificationDetails.joined().reduce(0) { $0 | $1.userVerification }
  }
}
