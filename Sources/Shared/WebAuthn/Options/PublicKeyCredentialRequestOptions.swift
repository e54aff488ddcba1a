import UAFMessages

/// A relying party's request for an assertion, in the JSON form of WebAuthn Level 3, section 5.1.10
/// (`PublicKeyCredentialRequestOptionsJSON`).
public struct PublicKeyCredentialRequestOptions: WebAuthnMessage {
  /// Random bytes, which the answer contains.
  public var challenge: [UInt8]

  /// How long the relying party waits for the answer.
  public var timeoutMilliseconds: Int64?

  /// The relying party's identifier, a domain; nil means the host that the client asked for the options.
  public var relyingPartyID: String?

  /// The credentials that may answer, decoys among them; none means any that the authenticator finds.
  public var allowedCredentials: [CredentialDescriptor]

  /// Whether the person must be verified.
  public var userVerification: UserVerificationRequirement

  /// Inputs of extensions by name.
  public var extensions: JSONObject

  /// Makes a request.
  public init(
    challenge: [UInt8], timeoutMilliseconds: Int64? = nil, relyingPartyID: String?,
    allowedCredentials: [CredentialDescriptor] = [], userVerification: UserVerificationRequirement = .preferred,
    extensions: JSONObject = [:]
  ) {
    self.challenge = challenge
    self.timeoutMilliseconds = timeoutMilliseconds
    self.relyingPartyID = relyingPartyID
    self.allowedCredentials = allowedCredentials
    self.userVerification = userVerification
    self.extensions = extensions
  }

  /// Reads a request.
  ///
  /// Members and values that are not known are ignored, as WebAuthn demands.
  ///
  /// - Throws: ``WebAuthnError``, including for a challenge below ``Challenge/byteCounts``.
  public init(json: JSONValue) throws(WebAuthnError) {
    let members = try Members(json, path: "", base64: .either)
    challenge = try members.bytes("challenge", counts: Challenge.byteCounts)
    timeoutMilliseconds = try members.optionalMilliseconds("timeout")
    relyingPartyID = try members.optionalText("rpId", bytes: 1...253)
    allowedCredentials = try CredentialDescriptor.list("allowCredentials", of: members)
    let isRestricted = try !members.list("allowCredentials", maximumCount: CredentialDescriptor.maximumCount).isEmpty
    // A list of nothing but unknown types allows no credential, whereas an empty list would allow every one.
    guard !isRestricted || !allowedCredentials.isEmpty else { throw .outOfRange("allowCredentials") }
    userVerification = try members.choice("userVerification", of: UserVerificationRequirement.self) ?? .preferred
    extensions = try members.jsonObject("extensions")
  }

  /// Whether a credential may answer.
  public func allows(_ credentialID: [UInt8]) -> Bool {
    allowedCredentials.isEmpty || allowedCredentials.contains { $0.id == credentialID }
  }

  /// The request as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["challenge": .base64URL(challenge)]
    object.set("timeout", timeoutMilliseconds.map(JSONValue.integer))
    object.set("rpId", relyingPartyID.map(JSONValue.string))
    object.set("allowCredentials", .array(allowedCredentials.map(\.json)))
    object.set("userVerification", .string(userVerification.rawValue))
    if !extensions.members.isEmpty { object.set("extensions", .object(extensions)) }
    return .object(object)
  }
}
