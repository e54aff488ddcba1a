/// The requirements for an authenticator (UAF protocol 1.1, section 3.1.11); absent members match everything.
public struct MatchCriteria: JSONRepresentable, Equatable, Sendable {
  /// AAIDs, one of which the authenticator must have.
  public var aaid: [AAID]?
  /// Vendors (the first four characters of the AAID), one of which must have made the authenticator.
  public var vendorID: [String]?
  /// Keys, one of which must be registered on the authenticator for the AppID.
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

  /// Reads the members that are present.
  ///
  /// The rule about which members may be combined binds the writer and is not checked here, because the specification's own
  /// examples break it. An empty flag set or list counts as absent, except the lists of models and keys, where an empty list
  /// could mean that nothing matches.
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

extension MatchCriteria {
  /// Whether an authenticator meets every member that is present (UAF protocol 1.1, section 3.1.11).
  public func matches(_ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    matchesIdentity(authenticator, appID: appID) && matchesCharacteristics(authenticator)
  }

  /// The keys of the authenticator that this criterion names: those that it lists, or all keys of the AppID.
  public func matchingKeyIDs(of authenticator: AuthenticatorDescription, appID: String) -> [KeyID] {
    let registered = authenticator.keyIDs(for: appID)
    guard let keyIDs else { return registered }
    return registered.filter { keyIDs.contains($0) }
  }

  private func matchesIdentity(_ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    if let aaid, !aaid.contains(authenticator.aaid) { return false }
    if let vendorID {
      let vendor = authenticator.aaid.vendorID.uppercased()
      guard vendorID.contains(where: { $0.uppercased() == vendor }) else { return false }
    }
    if keyIDs != nil, matchingKeyIDs(of: authenticator, appID: appID).isEmpty { return false }
    if let authenticatorVersion, authenticatorVersion > authenticator.authenticatorVersion { return false }
    return true
  }

  private func matchesCharacteristics(_ authenticator: AuthenticatorDescription) -> Bool {
    if let userVerification, !Self.matches(userVerification, authenticator.userVerification) { return false }
    if let keyProtection, keyProtection & authenticator.keyProtection == 0 { return false }
    if let matcherProtection, matcherProtection & authenticator.matcherProtection == 0 { return false }
    if let attachmentHint, attachmentHint & authenticator.attachmentHint == 0 { return false }
    if let tcDisplay, tcDisplay & authenticator.tcDisplay == 0 { return false }
    if let authenticationAlgorithms, !authenticationAlgorithms.contains(authenticator.authenticationAlgorithm) {
      return false
    }
    if let assertionSchemes, !assertionSchemes.contains(authenticator.assertionScheme) { return false }
    if let attestationTypes, !attestationTypes.contains(where: authenticator.attestationTypes.contains) { return false }
    return true
  }

  /// Whether both are equal or, if neither asks for all flags together, have one flag in common.
  private static func matches(_ wanted: UInt32, _ offered: UInt32) -> Bool {
    if wanted == offered { return true }
    return (wanted | offered) & UserVerification.all == 0 && wanted & offered != 0
  }
}

/// What an authenticator offers, for matching against a policy (`AuthenticatorInfo` of the ASM API).
public struct AuthenticatorDescription: Equatable, Sendable {
  /// The keys an authenticator holds for one application.
  public struct Registrations: Equatable, Sendable {
    /// The application.
    public let appID: String
    /// Its keys.
    public let keyIDs: [KeyID]

    /// Makes the registrations of one application.
    public init(appID: String, keyIDs: [KeyID]) {
      self.appID = appID
      self.keyIDs = keyIDs
    }
  }

  /// The model.
  public var aaid: AAID
  /// The version it reports in assertions.
  public var authenticatorVersion: UInt16
  /// USER_VERIFY flags.
  public var userVerification: UInt32
  /// KEY_PROTECTION flags.
  public var keyProtection: UInt16
  /// MATCHER_PROTECTION flags.
  public var matcherProtection: UInt16
  /// ATTACHMENT_HINT flags.
  public var attachmentHint: UInt32
  /// TRANSACTION_CONFIRMATION_DISPLAY flags.
  public var tcDisplay: UInt16
  /// Its signature algorithm.
  public var authenticationAlgorithm: UInt16
  /// Its assertion scheme.
  public var assertionScheme: String
  /// The attestation types it offers.
  public var attestationTypes: [UInt16]
  /// Its keys by application.
  public var registrations: [Registrations]

  /// Makes a description; the defaults are those of a software authenticator inside the machine with surrogate attestation.
  public init(
    aaid: AAID, authenticatorVersion: UInt16 = 1, userVerification: UInt32, keyProtection: UInt16 = 1,
    matcherProtection: UInt16 = 1, attachmentHint: UInt32 = 1, tcDisplay: UInt16 = 3,
    authenticationAlgorithm: UInt16 = SignatureAlgorithm.secp256r1ECDSASHA256Raw,
    assertionScheme: String = AssertionScheme.uafV1TLV,
    attestationTypes: [UInt16] = [TLVTag.attestationBasicSurrogate.rawValue], registrations: [Registrations] = []
  ) {
    self.aaid = aaid
    self.authenticatorVersion = authenticatorVersion
    self.userVerification = userVerification
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.attachmentHint = attachmentHint
    self.tcDisplay = tcDisplay
    self.authenticationAlgorithm = authenticationAlgorithm
    self.assertionScheme = assertionScheme
    self.attestationTypes = attestationTypes
    self.registrations = registrations
  }

  /// The keys for one application, compared byte by byte.
  public func keyIDs(for appID: String) -> [KeyID] {
    registrations.filter { $0.appID.isIdentical(to: appID) }.flatMap(\.keyIDs)
  }
}
