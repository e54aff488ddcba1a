/// One authenticator's part of a registration response (UAF protocol 1.1, section 3.4.2).
public struct AuthenticatorRegistrationAssertion: JSONRepresentable, Equatable, Sendable {
  /// How the assertion is encoded; `UAFV1TLV` here.
  public let assertionScheme: String

  /// The assertion's bytes, 1 to 4096.
  public let assertion: [UInt8]

  /// How the authenticator draws transaction images.
  public let tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics]

  /// Extensions.
  public let exts: [Extension]

  /// Makes an assertion's envelope.
  public init(
    assertionScheme: String = AssertionScheme.uafV1TLV, assertion: [UInt8],
    tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics] = [], exts: [Extension] = []
  ) {
    self.assertionScheme = assertionScheme
    self.assertion = assertion
    self.tcDisplayPNGCharacteristics = tcDisplayPNGCharacteristics
    self.exts = exts
  }

  /// Reads the envelope; the assertion itself is read by ``UnverifiedRegistrationAssertion``.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    assertionScheme = try reader.string("assertionScheme", characters: 1...32)
    assertion = try reader.base64URL("assertion", counts: AssertionScheme.counts)
    tcDisplayPNGCharacteristics =
      try reader.optionalList("tcDisplayPNGCharacteristics", of: DisplayPNGCharacteristics.self) ?? []
    exts = try reader.optionalList("exts", of: Extension.self) ?? []
  }

  /// The envelope as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "assertionScheme": .string(assertionScheme), "assertion": .string(Base64URL.encode(assertion)),
    ]
    object.set("tcDisplayPNGCharacteristics", JSONValue.list(tcDisplayPNGCharacteristics))
    object.set("exts", JSONValue.list(exts))
    return .object(object)
  }
}
