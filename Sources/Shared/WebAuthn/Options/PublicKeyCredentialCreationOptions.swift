import UAFMessages

/// A relying party's request for a new credential, in the JSON form of WebAuthn Level 3, section 5.1.9
/// (`PublicKeyCredentialCreationOptionsJSON`).
public struct PublicKeyCredentialCreationOptions: WebAuthnMessage {
  /// The relying party.
  public var relyingParty: RelyingPartyEntity

  /// The account.
  public var user: UserEntity

  /// Random bytes, which the answer contains.
  public var challenge: [UInt8]

  /// Numbers of algorithms in the relying party's order, unknown ones included; at least one.
  public var algorithms: [Int64]

  /// How long the relying party waits for the answer.
  public var timeoutMilliseconds: Int64?

  /// Credentials of the account: an authenticator that has one of them must not make another.
  public var excludedCredentials: [CredentialDescriptor]

  /// Which kind of authenticator is wanted; nil means any.
  public var attachment: AuthenticatorAttachment?

  /// Whether the authenticator must be able to find the credential without its identifier.
  public var residentKey: ResidentKeyRequirement

  /// Whether the person must be verified.
  public var userVerification: UserVerificationRequirement

  /// What the relying party wants to know about the authenticator.
  public var attestation: AttestationConveyance

  /// Inputs of extensions by name.
  public var extensions: JSONObject

  /// Makes a request.
  public init(
    relyingParty: RelyingPartyEntity, user: UserEntity, challenge: [UInt8], algorithms: [COSEAlgorithm],
    timeoutMilliseconds: Int64? = nil, excludedCredentials: [CredentialDescriptor] = [],
    attachment: AuthenticatorAttachment? = nil, residentKey: ResidentKeyRequirement = .discouraged,
    userVerification: UserVerificationRequirement = .preferred, attestation: AttestationConveyance = .none,
    extensions: JSONObject = [:]
  ) {
    self.relyingParty = relyingParty
    self.user = user
    self.challenge = challenge
    self.algorithms = algorithms.map(\.rawValue)
    self.timeoutMilliseconds = timeoutMilliseconds
    self.excludedCredentials = excludedCredentials
    self.attachment = attachment
    self.residentKey = residentKey
    self.userVerification = userVerification
    self.attestation = attestation
    self.extensions = extensions
  }

  /// Reads a request.
  ///
  /// Members and values that are not known are ignored, as WebAuthn demands.
  ///
  /// - Throws: ``WebAuthnError``, including for a challenge below ``Challenge/byteCounts``.
  public init(json: JSONValue) throws(WebAuthnError) {
    let members = try Members(json, path: "", base64: .either)
    relyingParty = try RelyingPartyEntity(members.object("rp"))
    user = try UserEntity(members.object("user"))
    challenge = try members.bytes("challenge", counts: Challenge.byteCounts)
    algorithms = try Self.algorithms(members)
    timeoutMilliseconds = try members.optionalMilliseconds("timeout")
    excludedCredentials = try CredentialDescriptor.list("excludeCredentials", of: members)
    let selection = try members.optionalObject("authenticatorSelection")
    attachment = try selection?.choice("authenticatorAttachment", of: AuthenticatorAttachment.self)
    let isResident = try selection?.optionalBool("requireResidentKey") ?? false
    residentKey =
      try selection?.choice("residentKey", of: ResidentKeyRequirement.self) ?? (isResident ? .required : .discouraged)
    userVerification =
      try selection?.choice("userVerification", of: UserVerificationRequirement.self) ?? .preferred
    attestation = try members.choice("attestation", of: AttestationConveyance.self) ?? .none
    extensions = try members.jsonObject("extensions")
  }

  /// The algorithms of `pubKeyCredParams`; an empty list means ES256 and RS256 (WebAuthn Level 3, section 5.1.3).
  private static func algorithms(_ members: Members) throws(WebAuthnError) -> [Int64] {
    _ = try members.required("pubKeyCredParams")
    let parameters = try members.objects("pubKeyCredParams", maximumCount: 64)
    guard !parameters.isEmpty else { return [COSEAlgorithm.es256.rawValue, COSEAlgorithm.rs256.rawValue] }
    var algorithms: [Int64] = []
    for parameter in parameters {
      guard try parameter.text("type", bytes: 0...1024).isIdentical(to: CredentialType.publicKey) else { continue }
      guard let number = try parameter.optionalInteger("alg") else { throw .missing(parameter.name("alg")) }
      algorithms.append(number)
    }
    // A list with only unknown types requests a credential that we cannot make; it must not count as an empty list, which means
    // the default algorithms.
    guard !algorithms.isEmpty else { throw .outOfRange(members.name("pubKeyCredParams")) }
    return algorithms
  }

  /// The first of `supported` that the relying party accepts; nil if it accepts none of them.
  public func algorithm(preferring supported: [COSEAlgorithm]) -> COSEAlgorithm? {
    supported.first { algorithms.contains($0.rawValue) }
  }

  /// The request as JSON.
  public var json: JSONValue {
    var selection = JSONObject()
    selection.set("authenticatorAttachment", attachment.map { .string($0.rawValue) })
    selection.set("residentKey", .string(residentKey.rawValue))
    selection.set("requireResidentKey", .bool(residentKey == .required))
    selection.set("userVerification", .string(userVerification.rawValue))
    var object: JSONObject = [
      "rp": relyingParty.json, "user": user.json, "challenge": .base64URL(challenge),
      "pubKeyCredParams": .array(
        algorithms.map { .object(["type": .string(CredentialType.publicKey), "alg": .integer($0)]) }),
    ]
    object.set("timeout", timeoutMilliseconds.map(JSONValue.integer))
    object.set("excludeCredentials", .array(excludedCredentials.map(\.json)))
    object.set("authenticatorSelection", .object(selection))
    object.set("attestation", .string(attestation.rawValue))
    if !extensions.members.isEmpty { object.set("extensions", .object(extensions)) }
    return .object(object)
  }
}

/// The limits of every challenge.
public enum Challenge {
  /// Allowed lengths in bytes; WebAuthn Level 3, section 13.4.3, requires at least 16, so that nobody can guess it.
  public static let byteCounts = 16...1024
}
