import UAFMessages

/// A client's answer with an assertion, which nobody has verified, in the JSON form of WebAuthn Level 3, section 5.1
/// (`AuthenticationResponseJSON`).
public struct AssertionResponse: WebAuthnMessage {
  /// The credential that signed.
  public let credentialID: [UInt8]

  /// What the client says.
  public let clientData: CollectedClientData

  /// What the authenticator says.
  public let authenticatorData: AuthenticatorData

  /// The signature over both.
  public let signature: [UInt8]

  /// The account's user handle, if the authenticator knows it.
  public let userHandle: [UInt8]?

  /// Whether the authenticator is part of the machine.
  public let attachment: AuthenticatorAttachment?

  /// Outputs of the client's extensions by name.
  public let clientExtensionResults: JSONObject

  /// Makes an answer.
  public init(
    credentialID: [UInt8], clientData: CollectedClientData, authenticatorData: AuthenticatorData, signature: [UInt8],
    userHandle: [UInt8]? = nil, attachment: AuthenticatorAttachment? = .platform,
    clientExtensionResults: JSONObject = [:]
  ) {
    self.credentialID = credentialID
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
    self.attachment = attachment
    self.clientExtensionResults = clientExtensionResults
  }

  /// Reads an answer; unknown members are ignored.
  ///
  /// - Throws: ``WebAuthnError``.
  public init(json: JSONValue) throws(WebAuthnError) {
    let members = try Members(json, path: "", base64: .url)
    credentialID = try ResponseMembers.credentialID(members)
    let response = try members.object("response")
    clientData = try ResponseMembers.clientData(response)
    authenticatorData = try AuthenticatorData(
      parsing: response.bytes("authenticatorData", counts: 1...AuthenticatorData.maximumByteCount),
      path: response.name("authenticatorData"))
    signature = try response.bytes("signature", counts: 1...1024)
    // FIDO's conformance tools send an empty handle for none.
    let handle = try response.optionalBytes("userHandle", counts: 0...UserEntity.idByteCounts.upperBound)
    userHandle = handle?.isEmpty == true ? nil : handle
    attachment = try members.choice("authenticatorAttachment", of: AuthenticatorAttachment.self)
    clientExtensionResults = try members.jsonObject("clientExtensionResults")
  }

  /// The answer as JSON.
  public var json: JSONValue {
    var response: JSONObject = [
      "clientDataJSON": .base64URL(clientData.encoded), "authenticatorData": .base64URL(authenticatorData.encoded),
      "signature": .base64URL(signature),
    ]
    response.set("userHandle", userHandle.map { .base64URL($0) })
    return ResponseMembers.json(credentialID: credentialID, response, attachment, clientExtensionResults)
  }
}
