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
  case statement
  case checkIn
  case pastedCode
  case core

  /// Ends the process if what was read is not what would be written.
  func run(_ bytes: [UInt8]) {
    switch self {
    case .base64url: Self.base64url(bytes)
    case .json: Self.json(bytes)
    case .tlv: Self.tlv(bytes)
    case .registrationAssertion: Self.registration(bytes)
    case .authenticationAssertion: Self.authentication(bytes)
    case .request: Self.request(bytes)
    case .response: Self.response(bytes)
    case .finalChallengeParams: Self.member(FinalChallengeParams.self, bytes)
    case .policy: Self.policy(bytes)
    case .trustedFacets: Self.trustedFacets(bytes)
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
    case .configuration:
      Self.configuration(bytes)
      Self.lent(bytes)
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
    case .statement: Self.statement(bytes)
    case .checkIn: Self.checkIn(bytes)
    case .pastedCode: Self.pastedCode(bytes)
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
    if let decoded = try? Base64.decode(text, maximumCount: 65_536) {
      precondition(Base64.encode(decoded) == text, "two padded texts for the same bytes")
    }
    precondition((try? Base64.decode(Base64.encode(bytes), maximumCount: bytes.count)) == bytes, "not its padded text")
  }

  private static func json(_ bytes: [UInt8]) {
    guard let value = try? JSONValue(parsing: bytes) else { return }
    precondition((try? JSONValue(parsing: value.bytes)) == value, "writes what it does not read")
  }

  /// What was read, written, and read again, is the same.
  static func member<Member: JSONRepresentable & Equatable>(_ type: Member.Type, _ bytes: [UInt8]) {
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

  private static func tlv(_ bytes: [UInt8]) {
    do throws(TLVError) {
      walk(try TLVElement.single(in: bytes), depth: 0)
    } catch {
      precondition(error.description.unicodeScalars.allSatisfy(isHarmless), "steers a terminal")
    }
  }

  private static func walk(_ element: TLVElement, depth: Int) {
    var writer = TLVWriter()
    precondition((try? writer.append(element.tag, element.value)) != nil, "longer than what was read")
    precondition(writer.bytes == element.encoded, "writes what was not sent")
    guard depth < 32, let children = try? element.children() else { return }
    precondition(children.flatMap(\.encoded) == element.value, "the children are not the value")
    for child in children { walk(child, depth: depth + 1) }
  }
}
