import UAFMessages

/// A client's answer with a new credential, which nobody has verified, in the JSON form of WebAuthn Level 3, section 5.1
/// (`RegistrationResponseJSON`).
public struct AttestationResponse: WebAuthnMessage {
  /// What the client says.
  public let clientData: CollectedClientData

  /// What the authenticator says.
  public let attestationObject: AttestationObject

  /// How the authenticator can be reached.
  public let transports: [String]

  /// Whether the authenticator is part of the machine.
  public let attachment: AuthenticatorAttachment?

  /// Outputs of the client's extensions by name.
  public let clientExtensionResults: JSONObject

  /// Makes an answer.
  public init(
    clientData: CollectedClientData, attestationObject: AttestationObject, transports: [String] = ["internal"],
    attachment: AuthenticatorAttachment? = .platform, clientExtensionResults: JSONObject = [:]
  ) {
    self.clientData = clientData
    self.attestationObject = attestationObject
    self.transports = transports
    self.attachment = attachment
    self.clientExtensionResults = clientExtensionResults
  }

  /// Reads an answer; unknown members are ignored, and members that repeat data of the attestation object must agree with it.
  ///
  /// - Throws: ``WebAuthnError``.
  public init(json: JSONValue) throws(WebAuthnError) {
    let members = try Members(json, path: "", base64: .url)
    let credentialID = try ResponseMembers.credentialID(members)
    let response = try members.object("response")
    clientData = try ResponseMembers.clientData(response)
    let path = response.name("attestationObject")
    attestationObject = try AttestationObject(
      parsing: response.bytes("attestationObject", counts: 1...AttestationObject.maximumByteCount), path: path)
    transports = try response.texts("transports")
    attachment = try members.choice("authenticatorAttachment", of: AuthenticatorAttachment.self)
    clientExtensionResults = try members.jsonObject("clientExtensionResults")
    guard let credential = attestationObject.authenticatorData.attestedCredential else { throw .missing(path) }
    guard credential.credentialID == credentialID else { throw .contradiction("id") }
    try Self.check(response, attestationObject.authenticatorData, credential)
  }

  /// Compares the members that WebAuthn Level 3, section 5.2.1.1, derives from the attestation object, if they are there.
  private static func check(
    _ response: Members, _ data: AuthenticatorData, _ credential: AttestedCredential
  ) throws(WebAuthnError) {
    let copy = try response.optionalBytes("authenticatorData", counts: 1...AuthenticatorData.maximumByteCount)
    guard copy == nil || copy == data.encoded else { throw .contradiction(response.name("authenticatorData")) }
    let key = try response.optionalBytes("publicKey", counts: 1...1024)
    guard key == nil || key == credential.publicKey.subjectPublicKeyInfo else {
      throw .contradiction(response.name("publicKey"))
    }
    let algorithm = try response.optionalInteger("publicKeyAlgorithm")
    guard algorithm == nil || algorithm == credential.publicKey.algorithm.rawValue else {
      throw .contradiction(response.name("publicKeyAlgorithm"))
    }
  }

  /// The answer as JSON.
  public var json: JSONValue {
    let data = attestationObject.authenticatorData
    var response: JSONObject = [
      "clientDataJSON": .base64URL(clientData.encoded), "attestationObject": .base64URL(attestationObject.encoded),
      "authenticatorData": .base64URL(data.encoded), "transports": .texts(transports),
    ]
    response.set("publicKeyAlgorithm", data.attestedCredential.map { .integer($0.publicKey.algorithm.rawValue) })
    response.set("publicKey", data.attestedCredential.map { .base64URL($0.publicKey.subjectPublicKeyInfo) })
    return ResponseMembers.json(
      credentialID: data.attestedCredential?.credentialID ?? [], response, attachment, clientExtensionResults)
  }
}

/// The members that both responses have.
enum ResponseMembers {
  static func credentialID(_ members: Members) throws(WebAuthnError) -> [UInt8] {
    guard try members.text("type", bytes: 0...1024).isIdentical(to: CredentialType.publicKey) else {
      throw .outOfRange(members.name("type"))
    }
    let counts = 1...AttestedCredential.credentialIDByteCounts.upperBound
    let id = try members.bytes("id", counts: counts)
    let rawID = try members.optionalBytes("rawId", counts: counts)
    guard rawID == nil || rawID == id else { throw .contradiction(members.name("rawId")) }
    return id
  }

  static func clientData(_ response: Members) throws(WebAuthnError) -> CollectedClientData {
    try CollectedClientData(
      parsing: response.bytes("clientDataJSON", counts: 1...CollectedClientData.maximumByteCount),
      path: response.name("clientDataJSON"))
  }

  static func json(
    credentialID: [UInt8], _ response: JSONObject, _ attachment: AuthenticatorAttachment?, _ results: JSONObject
  ) -> JSONValue {
    var object: JSONObject = [
      "id": .base64URL(credentialID), "rawId": .base64URL(credentialID), "type": .string(CredentialType.publicKey),
      "response": .object(response), "clientExtensionResults": .object(results),
    ]
    object.set("authenticatorAttachment", attachment.map { .string($0.rawValue) })
    return .object(object)
  }
}
