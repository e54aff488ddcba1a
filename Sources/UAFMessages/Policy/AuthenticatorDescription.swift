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
