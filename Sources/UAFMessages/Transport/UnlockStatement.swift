/// What a server signs so that the locks of one account on one machine end; our own (PROTOCOL.md, "Unlock payload").
///
/// It goes as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict.
public struct UnlockStatement: Equatable, Sendable {
  /// The machine that it is for.
  public enum Target: Equatable, Sendable {
    /// By the device id that its registrations name.
    case device(String)
    /// By a key of the account on it, where the machine tells no id.
    case key(KeyID)
  }

  /// `typ` of the token's header.
  public static let tokenType = "unlock+jwt"
  /// How long one may be good for, in seconds: 5 minutes to 7 days.
  public static let lifetimes: ClosedRange<Int64> = 300...604_800
  /// The longest token in bytes.
  public static let maximumBytes = 6144
  /// The length of ``id``.
  public static let idByteCount = 16

  /// The account's name at the server.
  public let account: String
  /// The machine.
  public let target: Target
  /// Random bytes, by which log and audit of both sides name it.
  public let id: [UInt8]
  /// Seconds since 1970.
  public let issuedAt: Int64
  /// Seconds since 1970.
  public let expiresAt: Int64

  /// Makes a statement.
  public init(account: String, target: Target, id: [UInt8], issuedAt: Int64, expiresAt: Int64) {
    self.account = account
    self.target = target
    self.id = id
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }

  /// The claims of the token.
  public var json: JSONValue {
    var object: JSONObject = ["sub": .string(account)]
    switch target {
    case .device(let id): object.set("device", .string(id))
    case .key(let id): object.set("key", .string(id.text))
    }
    object.set("jti", .string(Base64URL.encode(id)))
    object.set("iat", .integer(issuedAt))
    object.set("exp", .integer(expiresAt))
    return .object(object)
  }

  /// Reads the claims; members that are not in the form above are ignored.
  ///
  /// - Returns: nil if one is missing or not of its form, for a machine that is named twice or not at all, and for another
  ///   lifetime than ``lifetimes`` has.
  public init?(claims: JSONObject) {
    guard case .string(let account)? = claims["sub"], case .string(let jti)? = claims["jti"],
      case .integer(let issuedAt)? = claims["iat"], case .integer(let expiresAt)? = claims["exp"],
      let id = try? Base64URL.decode(jti, maximumCount: Self.idByteCount), id.count == Self.idByteCount
    else { return nil }
    let (lifetime, overflow) = expiresAt.subtractingReportingOverflow(issuedAt)
    guard !overflow, Self.lifetimes.contains(lifetime), issuedAt >= 0 else { return nil }
    let target: Target
    switch (claims["device"], claims["key"]) {
    case (.string(let device)?, nil): target = .device(device)
    case (nil, .string(let key)?):
      guard let keyID = try? KeyID(json: .string(key), path: "key") else { return nil }
      target = .key(keyID)
    default: return nil
    }
    self.init(account: account, target: target, id: id, issuedAt: issuedAt, expiresAt: expiresAt)
  }
}
