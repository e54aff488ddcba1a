/// One authenticator's part of an authentication response (UAF protocol 1.1, section 3.5.2).
public struct AuthenticatorSignAssertion: JSONRepresentable, Equatable, Sendable {
  /// How the assertion is encoded; `UAFV1TLV` here.
  public let assertionScheme: String

  /// The assertion's bytes, 1 to 4096.
  public let assertion: [UInt8]

  /// Extensions.
  public let exts: [Extension]

  /// Makes an assertion's envelope.
  public init(
    assertionScheme: String = AssertionScheme.uafV1TLV, assertion: [UInt8], exts: [Extension] = []
  ) {
    self.assertionScheme = assertionScheme
    self.assertion = assertion
    self.exts = exts
  }

  /// Reads the envelope; the assertion itself is read by ``UnverifiedAuthenticationAssertion``.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    assertionScheme = try reader.string("assertionScheme", characters: 1...32)
    assertion = try reader.base64URL("assertion", counts: AssertionScheme.counts)
    exts = try reader.optionalList("exts", of: Extension.self) ?? []
  }

  /// The envelope as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "assertionScheme": .string(assertionScheme), "assertion": .string(Base64URL.encode(assertion)),
    ]
    object.set("exts", JSONValue.list(exts))
    return .object(object)
  }
}
