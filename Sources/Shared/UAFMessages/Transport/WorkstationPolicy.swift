/// What a server requires of a workstation that has joined a group; our own (docs/protocol.md, "Workstation policy").
///
/// It is sent as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict. The server signs it again for each
/// machine and each time it is sent.
public struct WorkstationPolicy: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "workstation-policy+jwt"
  /// The longest token in bytes.
  public static let maximumTokenBytes = 24 * 1024
  /// The longest text in bytes.
  public static let maximumTextBytes = 16 * 1024
  /// The range of a version: whole numbers that every JSON reader represents exactly.
  public static let versions: ClosedRange<Int64> = 1...9_007_199_254_740_991
  /// How long a policy may be valid after it was signed, in seconds: a day to 366 days.
  public static let lifetimes: ClosedRange<Int64> = 86_400...31_622_400
  /// The lifetime unless the administrator sets one: 90 days.
  public static let standardLifetime: Int64 = 7_776_000

  /// The machine that it is signed for, by the device ID that it gave when it joined.
  public let deviceID: String
  /// The group that it is for.
  public let group: MachineGroup
  /// The policy's version: the server gives each policy that it saves a higher number than all before it, in any group.
  public let version: Int64
  /// The policy's text in TOML; empty for a policy that requires nothing.
  public let text: String
  /// When it was signed, in seconds since 1970.
  public let issuedAt: Int64
  /// The start of its validity.
  public let notBefore: Int64
  /// The end of its validity.
  public let expiresAt: Int64

  /// Makes a policy, of which the caller has checked that its numbers and its text are within the limits above.
  public init(
    deviceID: String, group: MachineGroup, version: Int64, text: String, issuedAt: Int64, notBefore: Int64,
    expiresAt: Int64
  ) {
    self.deviceID = deviceID
    self.group = group
    self.version = version
    self.text = text
    self.issuedAt = issuedAt
    self.notBefore = notBefore
    self.expiresAt = expiresAt
  }

  /// The claims of the token.
  public var json: JSONValue {
    .object([
      "machine": .string(deviceID), "group": .string(group.name), "version": .integer(version),
      "iat": .integer(issuedAt), "nbf": .integer(notBefore), "exp": .integer(expiresAt), "toml": .string(text),
    ])
  }

  /// Reads the claims; other members are ignored.
  ///
  /// - Returns: nil if one is missing, or not of its form.
  public init?(claims: JSONObject) {
    guard case .string(let deviceID)? = claims["machine"], (1...128).contains(deviceID.utf8.count),
      case .string(let name)? = claims["group"], let group = MachineGroup(name),
      case .integer(let version)? = claims["version"], Self.versions.contains(version),
      case .string(let text)? = claims["toml"], text.utf8.count <= Self.maximumTextBytes,
      case .integer(let issuedAt)? = claims["iat"], case .integer(let notBefore)? = claims["nbf"],
      case .integer(let expiresAt)? = claims["exp"], Self.areInOrder(issuedAt, notBefore, expiresAt)
    else { return nil }
    self.init(
      deviceID: deviceID, group: group, version: version, text: text, issuedAt: issuedAt, notBefore: notBefore,
      expiresAt: expiresAt)
  }

  private static func areInOrder(_ issuedAt: Int64, _ notBefore: Int64, _ expiresAt: Int64) -> Bool {
    guard issuedAt >= 0, notBefore >= 0, expiresAt > notBefore else { return false }
    return (1...lifetimes.upperBound).contains(expiresAt - issuedAt)
  }
}
