@testable import UAFMessages

/// What receives the fuzzer's bytes, and either refuses them or must be able to write what it read.
///
/// Built by `Tests/Fuzz/Makefile`. The targets of the C module are in `Tests/Fuzz/shim`.
enum FuzzTarget: String, CaseIterable {
  case base64url
  case json
  case tlv
  case registrationAssertion
  case authenticationAssertion
  case request
  case response
  case finalChallengeParams
  case policy
  case trustedFacets
  case getRequest
  case returnRequest
  case sendResponse
  case serverResponse
  case context
  case enrolmentPayload
  case metadataStatement
  case decoder
  case packet
  case configuration
  case arguments
  case text
  case transaction
  case expression
  case passcode
  case certificate
  case records
  case multipart
  case cbor
  case clientData
  case authenticatorData
  case attestation
  case webAuthnMessage
  case core

  /// Ends the process if what was read is not what would be written.
  func run(_ bytes: [UInt8]) {
    switch self {
    case .base64url: Self.base64url(bytes)
    case .json: Self.json(bytes)
    case .tlv: if let element = try? TLVElement.single(in: bytes) { Self.walk(element, depth: 0) }
    case .registrationAssertion: Self.registration(bytes)
    case .authenticationAssertion: Self.authentication(bytes)
    case .request: Self.request(bytes)
    case .response: Self.response(bytes)
    case .finalChallengeParams: Self.member(FinalChallengeParams.self, bytes)
    case .policy: Self.member(Policy.self, bytes)
    case .trustedFacets: Self.member(TrustedFacetList.self, bytes)
    case .getRequest: Self.member(GetUAFRequest.self, bytes)
    case .returnRequest: Self.member(ReturnUAFRequest.self, bytes)
    case .sendResponse: Self.member(SendUAFResponse.self, bytes)
    case .serverResponse:
      Self.member(ServerResponse.self, bytes)
      Self.member(JoinAnswer.self, bytes)
    case .context: Self.member(RequestContext.self, bytes)
    case .enrolmentPayload:
      Self.member(EnrolmentPayload.self, bytes)
      Self.member(MachinePayload.self, bytes)
      Self.member(JoinRequest.self, bytes)
    case .metadataStatement:
      Self.member(MetadataStatement.self, bytes)
      Self.member(FIDO2Statement.self, bytes)
    case .decoder: Self.decoder(bytes)
    case .packet: Self.packet(bytes)
    case .configuration: Self.configuration(bytes)
    case .arguments: Self.arguments(bytes)
    case .text: Self.text(bytes)
    case .transaction: Self.transaction(bytes)
    case .expression: Self.expression(bytes)
    case .passcode: Self.passcode(bytes)
    case .certificate: Self.certificate(bytes)
    case .records: Self.records(bytes)
    case .multipart: Self.multipart(bytes)
    case .cbor: Self.cbor(bytes)
    case .clientData: Self.clientData(bytes)
    case .authenticatorData: Self.authenticatorData(bytes)
    case .attestation: Self.attestation(bytes)
    case .webAuthnMessage: Self.webAuthnMessage(bytes)
    case .core: CoreRun(bytes).run()
    }
  }

  private static func base64url(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let decoded = try? Base64URL.decode(text, maximumCount: 65_536) {
      precondition(Base64URL.encode(decoded) == text, "two texts for the same bytes")
    }
    precondition(
      (try? Base64URL.decode(Base64URL.encode(bytes), maximumCount: bytes.count)) == bytes, "not its own text")
  }

  private static func json(_ bytes: [UInt8]) {
    guard let value = try? JSONValue(parsing: bytes) else { return }
    precondition((try? JSONValue(parsing: value.bytes)) == value, "writes what it does not read")
  }

  /// What was read, written, and read again, is the same.
  private static func member<Member: JSONRepresentable & Equatable>(_ type: Member.Type, _ bytes: [UInt8]) {
    guard let value = try? Member(parsing: bytes) else { return }
    precondition((try? Member(parsing: value.jsonBytes)) == value, "writes what it does not read")
  }

  private static func request(_ bytes: [UInt8]) {
    guard let request = try? UAFRequest(parsing: bytes) else { return }
    precondition((try? UAFRequest(parsing: JSONValue.array([request.json]).bytes)) == request, "reads itself otherwise")
  }

  private static func response(_ bytes: [UInt8]) {
    guard let response = try? UAFResponse(parsing: bytes) else { return }
    precondition((try? UAFResponse(parsing: response.text)) == response, "reads itself otherwise")
  }

  private static func registration(_ bytes: [UInt8]) {
    guard let assertion = try? UnverifiedRegistrationAssertion(parsing: bytes) else { return }
    precondition(isInside(assertion.signedBytes, bytes), "the signature covers bytes that were not sent")
    precondition(isInside(assertion.keyID.bytes, assertion.signedBytes), "the KeyID is not signed")
    precondition(isInside(assertion.publicKey, assertion.signedBytes), "the public key is not signed")
  }

  private static func authentication(_ bytes: [UInt8]) {
    guard let assertion = try? UnverifiedAuthenticationAssertion(parsing: bytes) else { return }
    precondition(isInside(assertion.signedBytes, bytes), "the signature covers bytes that were not sent")
    precondition(isInside(assertion.finalChallengeHash, assertion.signedBytes), "the challenge is not signed")
  }

  private static func walk(_ element: TLVElement, depth: Int) {
    guard depth < 32, let children = try? element.children() else { return }
    precondition(children.flatMap(\.encoded) == element.value, "the children are not the value")
    for child in children { walk(child, depth: depth + 1) }
  }

  private static func isInside(_ part: [UInt8], _ whole: [UInt8]) -> Bool {
    part.isEmpty || whole.indices.contains { whole[$0...].starts(with: part) }
  }
}
