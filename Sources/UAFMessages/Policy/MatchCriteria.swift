/// What an authenticator must be like (UAF protocol 1.1, section 3.1.11); absent members match everything.
public struct MatchCriteria: JSONRepresentable, Equatable, Sendable {
  /// Models, one of which it must be.
  public var aaid: [AAID]?
  /// Vendors (first four characters of the AAID), one of which it must be from.
  public var vendorID: [String]?
  /// Keys, one of which must be registered on it for the AppID.
  public var keyIDs: [KeyID]?
  /// USER_VERIFY flags.
  public var userVerification: UInt32?
  /// KEY_PROTECTION flags, one of which it must have.
  public var keyProtection: UInt16?
  /// MATCHER_PROTECTION flags, one of which it must have.
  public var matcherProtection: UInt16?
  /// ATTACHMENT_HINT flags, one of which it must have.
  public var attachmentHint: UInt32?
  /// TRANSACTION_CONFIRMATION_DISPLAY flags, one of which it must have.
  public var tcDisplay: UInt16?
  /// Signature algorithms, one of which must be its own.
  public var authenticationAlgorithms: [UInt16]?
  /// Assertion schemes, one of which must be its own.
  public var assertionSchemes: [String]?
  /// Attestation types in order of preference, one of which it must offer.
  public var attestationTypes: [UInt16]?
  /// Lowest version it may have.
  public var authenticatorVersion: UInt16?
  /// Extensions.
  public var exts: [Extension] = []

  /// Makes criteria that match everything.
  public init() {}

  /// Makes criteria for one model and, if given, some of its keys: the form an authentication request uses.
  public init(aaid: AAID, keyIDs: [KeyID]? = nil) {
    self.aaid = [aaid]
    self.keyIDs = keyIDs
  }

  /// Reads the members that are there.
  ///
  /// The rule about which members may be together binds the writer; the specification's own examples break it. An empty
  /// flag set or list counts as absent, except the lists of models and keys: an empty one could mean nobody.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    aaid = try reader.optionalList("aaid", of: AAID.self)
    vendorID = try Self.list("vendorID", reader) { (value, path) throws(MessageError) in
      let text = try value.nonEmptyString(path: path)
      guard text.utf8.count == 4, text.utf8.allSatisfy(\.isHexDigit) else { throw .outOfRange(path) }
      return text
    }
    keyIDs = try reader.optionalList("keyIDs", of: KeyID.self)
    userVerification = try Self.flags("userVerification", reader)
    keyProtection = try Self.flags("keyProtection", reader)
    matcherProtection = try Self.flags("matcherProtection", reader)
    attachmentHint = try Self.flags("attachmentHint", reader)
    tcDisplay = try Self.flags("tcDisplay", reader)
    authenticationAlgorithms = try Self.numbers("authenticationAlgorithms", reader)
    assertionSchemes = try Self.list("assertionSchemes", reader) { (value, path) throws(MessageError) in
      try value.nonEmptyString(path: path)
    }
    attestationTypes = try Self.numbers("attestationTypes", reader)
    authenticatorVersion = try reader.optionalInteger("authenticatorVersion", as: UInt16.self)
    exts = try reader.optionalList("exts", mayBeEmpty: true, of: Extension.self) ?? []
  }

  private static func numbers(_ member: String, _ reader: MemberReader) throws(MessageError) -> [UInt16]? {
    try list(member, reader) { (value, path) throws(MessageError) in try value.integer(path: path) }
  }

  private static func flags<Flags: FixedWidthInteger>(
    _ member: String, _ reader: MemberReader
  ) throws(MessageError) -> Flags? {
    let flags = try reader.optionalInteger(member, as: Flags.self)
    return flags == 0 ? nil : flags
  }

  private static func list<Element>(
    _ member: String, _ reader: MemberReader, _ read: (JSONValue, String) throws(MessageError) -> Element
  ) throws(MessageError) -> [Element]? {
    let list = try reader.optionalList(member, mayBeEmpty: true, read)
    return list?.isEmpty == true ? nil : list
  }

  /// The criteria as JSON; a list that is empty is left out.
  public var json: JSONValue {
    var object = JSONObject()
    object.set("aaid", JSONValue.list(aaid ?? []))
    object.set("vendorID", JSONValue.strings(vendorID ?? []))
    object.set("keyIDs", JSONValue.list(keyIDs ?? []))
    object.set("userVerification", userVerification.map { .integer(Int64($0)) })
    object.set("keyProtection", keyProtection.map { .integer(Int64($0)) })
    object.set("matcherProtection", matcherProtection.map { .integer(Int64($0)) })
    object.set("attachmentHint", attachmentHint.map { .integer(Int64($0)) })
    object.set("tcDisplay", tcDisplay.map { .integer(Int64($0)) })
    object.set("authenticationAlgorithms", JSONValue.integers(authenticationAlgorithms ?? []))
    object.set("assertionSchemes", JSONValue.strings(assertionSchemes ?? []))
    object.set("attestationTypes", JSONValue.integers(attestationTypes ?? []))
    object.set("authenticatorVersion", authenticatorVersion.map { .integer(Int64($0)) })
    object.set("exts", JSONValue.list(exts))
    return .object(object)
  }
}
