/// An unlock as 24 characters that a person types, for a machine without network; our own (docs/protocol.md, "Unlock code").
///
/// 120 bits: the minute of its issue (24), its lifetime (11), random bits (5), and the first 80 bits of the HMAC-SHA-256 of
/// ``authenticated(account:machineID:)`` under the machine's secret. They are written in Crockford's base32, in groups of four.
public struct UnlockCode: Equatable, Sendable {
  /// The characters of a code, without the separators between its groups.
  public static let characterCount = 24
  /// The length of ``mac``.
  public static let macByteCount = 10
  /// The unit of a lifetime, in seconds.
  public static let lifetimeUnit: Int64 = 300

  private static let units = 1...2016
  private static let minuteBits = 24

  /// When it was issued, in minutes since 1970.
  public let minute: Int64
  /// Its lifetime in units of ``lifetimeUnit``, 1 to 2016.
  public let lifetimeUnits: Int
  /// Five random bits: they make two codes of the same minute different.
  public let salt: UInt8
  /// The code's authentication, which is not checked here.
  public let mac: [UInt8]

  /// Makes a code, whose authentication may be empty until it is known.
  ///
  /// - Returns: nil for a time or a lifetime that cannot be written.
  public init?(minute: Int64, lifetimeUnits: Int, salt: UInt8, mac: [UInt8] = []) {
    guard minute >= 0, Self.units.contains(lifetimeUnits), salt < 32, [0, Self.macByteCount].contains(mac.count) else {
      return nil
    }
    self.minute = minute
    self.lifetimeUnits = lifetimeUnits
    self.salt = salt
    self.mac = mac
  }

  /// When it was issued, in seconds since 1970, rounded down to the minute.
  public var issuedAt: Int64 { minute * 60 }
  /// Seconds since 1970.
  public var expiresAt: Int64 { issuedAt + Int64(lifetimeUnits) * Self.lifetimeUnit }

  /// The bytes that the authentication covers.
  ///
  /// They contain the whole minute, not only the bits that the code contains.
  ///
  /// - Parameter machineID: the machine's ID at the server, for the account.
  public func authenticated(account: String, machineID: [UInt8]) -> [UInt8] {
    var statement = Statement("pam-uaf unlock code")
    statement.add(minute)
    statement.add(UInt16(truncatingIfNeeded: lifetimeUnits))
    statement.add(salt)
    statement.add(bare: machineID + account.utf8)
    return statement.bytes
  }

  /// The same code with its authentication.
  ///
  /// - Parameter code: an HMAC-SHA-256, of which the first bytes are used.
  public func authenticated(by code: [UInt8]) -> UnlockCode? {
    UnlockCode(minute: minute, lifetimeUnits: lifetimeUnits, salt: salt, mac: Array(code.prefix(Self.macByteCount)))
  }

  /// The characters, in groups of four.
  public var text: String {
    let head = UInt64(minute & (1 << Self.minuteBits - 1)) << 16 | UInt64(lifetimeUnits) << 5 | UInt64(salt)
    let bytes = (0..<5).reversed().map { UInt8(truncatingIfNeeded: head >> (8 * $0)) } + mac
    return CrockfordBase32.grouped(CrockfordBase32.characters(CrockfordBase32.values(of: bytes)), by: 4)
  }

  /// Reads a typed code: small letters, and spaces and hyphens anywhere, are allowed, O for 0, I and L for 1.
  ///
  /// - Parameter now: seconds since 1970: of all minutes with the code's bits, the one nearest to this is the minute of issue.
  /// - Returns: nil for anything but 24 characters of the alphabet, and for a lifetime that no code has.
  public init?(typed text: String, near now: Int64) {
    guard let values = CrockfordBase32.values(typed: text, count: Self.characterCount) else { return nil }
    let bytes = CrockfordBase32.bytes(of: values)
    let head = bytes.prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let period = Int64(1) << Self.minuteBits
    let today = max(now, 0) / 60
    var minute = today - today % period + Int64(head >> 16)
    if minute - today > period / 2 { minute -= period } else if today - minute > period / 2 { minute += period }
    self.init(
      minute: minute, lifetimeUnits: Int(head >> 5 & 0x7FF), salt: UInt8(head & 0x1F), mac: Array(bytes.dropFirst(5)))
  }

  /// Four characters by which people tell machines apart, for accounts with an unlock code for each machine.
  public static func label(ofMachine machineID: [UInt8]) -> String {
    let values = CrockfordBase32.values(of: Array(machineID.prefix(5))).prefix(4)
    return String(decoding: CrockfordBase32.characters(values), as: UTF8.self)
  }
}

/// What a server signs so that the locks of one account on one machine end; our own (docs/protocol.md, "Unlock payload").
///
/// It is sent as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict.
public struct UnlockStatement: Equatable, Sendable {
  /// The machine that the unlock is for.
  public enum Target: Equatable, Sendable {
    /// The device ID in the machine's registrations.
    case device(String)
    /// A key of the account on the machine, if the machine sends no device ID.
    case key(KeyID)
  }

  /// `typ` of the token's header.
  public static let tokenType = "unlock+jwt"
  /// How long an unlock may be valid, in seconds: 5 minutes to 7 days.
  public static let lifetimes: ClosedRange<Int64> = 300...604_800
  /// The longest token in bytes.
  public static let maximumBytes = 6144
  /// The length of ``id``.
  public static let idByteCount = 16

  /// The account's name at the server.
  public let account: String
  /// The machine.
  public let target: Target
  /// Random bytes, by which the logs and audits of both sides name the unlock.
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
  /// - Returns: nil if one is missing or not of its form, for a machine that is named twice or not at all, and for a
  ///   lifetime outside ``lifetimes``.
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
