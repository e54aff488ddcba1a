import Testing

@testable import UAFMessages
@testable import WebAuthn

@Suite struct ResponseTests {
  @Test func `writes the members of a registration response`() throws {
    let response = try Ceremony().registration()
    let id = Base64URL.encode(Ceremony.credentialID)
    let client = Base64URL.encode(response.clientData.encoded)
    let object = Base64URL.encode(response.attestationObject.encoded)
    let data = Base64URL.encode(response.attestationObject.authenticatorData.encoded)
    let key = Base64URL.encode(try Ceremony().publicKey().subjectPublicKeyInfo)
    #expect(
      response.json.text
        == #"{"id":"\#(id)","rawId":"\#(id)","type":"public-key","response":{"clientDataJSON":"\#(client)","#
        + #""attestationObject":"\#(object)","authenticatorData":"\#(data)","transports":["internal"],"#
        + #""publicKeyAlgorithm":-7,"publicKey":"\#(key)"},"clientExtensionResults":{},"#
        + #""authenticatorAttachment":"platform"}"#)
    #expect(try AttestationResponse(parsing: response.json.bytes) == response)
  }

  @Test func `writes the members of an assertion response`() throws {
    let response = try Ceremony.authentication().assertion()
    let id = Base64URL.encode(Ceremony.credentialID)
    let client = Base64URL.encode(response.clientData.encoded)
    let data = Base64URL.encode(response.authenticatorData.encoded)
    let signature = Base64URL.encode(response.signature)
    #expect(
      response.json.text
        == #"{"id":"\#(id)","rawId":"\#(id)","type":"public-key","response":{"clientDataJSON":"\#(client)","#
        + #""authenticatorData":"\#(data)","signature":"\#(signature)","userHandle":"bWluYQ"},"#
        + #""clientExtensionResults":{},"authenticatorAttachment":"platform"}"#)
    #expect(try AssertionResponse(parsing: response.json.bytes) == response)
  }

  /// A response with one member changed, or without it for nil.
  private static func changed(_ json: JSONValue, _ path: [String], _ value: JSONValue?) throws -> JSONValue {
    guard case .object(let object) = json, let name = path.first else { throw WebAuthnError.wrongType("test") }
    var other = JSONObject()
    for member in object.members where member.name != name { other.set(member.name, member.value) }
    if path.count > 1 {
      other.set(name, try changed(try #require(object[name]), Array(path.dropFirst()), value))
    } else {
      other.set(name, value)
    }
    return .object(other)
  }

  @Test(
    arguments: [
      (["id"], nil, .missing("id")), (["id"], .string("BwcHBwcHBwcHBwcHBwcHBw"), .contradiction("rawId")),
      (["rawId"], .string("AQ"), .contradiction("rawId")), (["type"], nil, .missing("type")),
      (["rawId"], .string("AQ=="), .notBase64("rawId", .invalidCharacter(offset: 2))),
      (["type"], .string("password"), .outOfRange("type")), (["response"], nil, .missing("response")),
      (["response"], .array([]), .wrongType("response")),
      (["response", "clientDataJSON"], nil, .missing("response.clientDataJSON")),
      (["response", "clientDataJSON"], .string("e30"), .missing("response.clientDataJSON.type")),
      (["response", "attestationObject"], nil, .missing("response.attestationObject")),
      (["response", "attestationObject"], .string("oA"), .missing("response.attestationObject.fmt")),
      (["response", "authenticatorData"], .string("oA"), .contradiction("response.authenticatorData")),
      (["response", "publicKey"], .string("oA"), .contradiction("response.publicKey")),
      (["response", "publicKeyAlgorithm"], .integer(-8), .contradiction("response.publicKeyAlgorithm")),
      (["response", "transports"], .string("usb"), .wrongType("response.transports")),
      (["response", "transports"], .array([.integer(1)]), .wrongType("response.transports[0]")),
      (["clientExtensionResults"], .array([]), .wrongType("clientExtensionResults")),
    ] as [([String], JSONValue?, WebAuthnError)]) func `refuses an invalid registration response, and names the member`(
      _ path: [String], _ value: JSONValue?, _ error: WebAuthnError
    ) throws
  {
    let json = try Self.changed(Ceremony().registration().json, path, value)
    #expect(throws: error) { try AttestationResponse(json: json) }
  }

  @Test(
    arguments: [
      (["id"], nil, .missing("id")), (["rawId"], .string("AQ"), .contradiction("rawId")),
      (["type"], .integer(1), .wrongType("type")),
      (["response", "authenticatorData"], nil, .missing("response.authenticatorData")),
      (["response", "authenticatorData"], .string("AA"), .truncated("response.authenticatorData")),
      (["response", "signature"], nil, .missing("response.signature")),
      (["response", "signature"], .string(""), .outOfRange("response.signature")),
      (
        ["response", "userHandle"], .string(Base64URL.encode([UInt8](repeating: 1, count: 65))),
        .notBase64("response.userHandle", .tooLong)
      ),
      (["response", "userHandle"], .integer(1), .wrongType("response.userHandle")),
    ] as [([String], JSONValue?, WebAuthnError)]) func `refuses an invalid assertion response, and names the member`(
      _ path: [String], _ value: JSONValue?, _ error: WebAuthnError
    ) throws
  {
    let json = try Self.changed(Ceremony.authentication().assertion().json, path, value)
    #expect(throws: error) { try AssertionResponse(json: json) }
  }

  @Test(arguments: [JSONValue.string(""), .null]) func `an empty user handle is none, as FIDO's tools send it`(
    _ value: JSONValue
  ) throws {
    let json = try Self.changed(Ceremony.authentication().assertion().json, ["response", "userHandle"], value)
    #expect(try AssertionResponse(json: json).userHandle == nil)
  }

  @Test func `refuses a registration response whose id is not that of the new credential`() throws {
    let other = JSONValue.string(Base64URL.encode([UInt8](repeating: 8, count: 32)))
    let json = try Self.changed(Self.changed(Ceremony().registration().json, ["id"], other), ["rawId"], other)
    #expect(throws: WebAuthnError.contradiction("id")) { try AttestationResponse(json: json) }
  }

  @Test func `accepts a response without the members that older clients leave out`() throws {
    let original = try Ceremony().registration()
    var json = original.json
    for path in [
      ["rawId"], ["clientExtensionResults"], ["authenticatorAttachment"], ["response", "transports"],
      ["response", "authenticatorData"], ["response", "publicKey"], ["response", "publicKeyAlgorithm"],
    ] {
      json = try Self.changed(json, path, nil)
    }
    let response = try AttestationResponse(json: json)
    #expect(response.transports.isEmpty && response.attachment == nil)
    #expect(response.attestationObject == original.attestationObject)
  }

  @Test func `each WebAuthn error has its own text`() {
    let errors: [WebAuthnError] = [
      .json("a", JSONError(reason: .tooLong, offset: 1)), .missing("a"), .wrongType("a"), .outOfRange("a"),
      .notBase64("a", .invalidLength), .truncated("a"), .trailingBytes("a"), .invalidKey("a"), .contradiction("a"),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
  }
}
