/// What a server signs for a machine that has told it how it is; our own (PROTOCOL.md, "Check-in").
///
/// It goes as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict.
public struct CheckInStatement: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "machine-checkin+jwt"
  /// How long a statement answers the request that it names, in seconds.
  public static let lifetime: Int64 = 60

  /// The machine's device id.
  public let deviceID: String
  /// Number and nonce of the proof that went with the request.
  public let machineID: [UInt8]
  /// Number and nonce of the proof that went with the request.
  public let nonce: [UInt8]
  /// The version of the workstation policy for this machine; nil if there is none.
  public let policy: Int64?
  /// The number of the server's news; see ``ServerResponse/machineNews``.
  public let news: Int64?
  /// Seconds since 1970.
  public let issuedAt: Int64

  /// Makes a statement.
  public init(
    deviceID: String, machineID: [UInt8], nonce: [UInt8], policy: Int64? = nil, news: Int64? = nil, issuedAt: Int64
  ) {
    self.deviceID = deviceID
    self.machineID = machineID
    self.nonce = nonce
    self.policy = policy
    self.news = news
    self.issuedAt = issuedAt
  }

  /// The claims of the token.
  public var json: JSONValue {
    var object: JSONObject = [
      "sub": .string(deviceID), "machine": .string(Base64URL.encode(machineID)),
      "nonce": .string(Base64URL.encode(nonce)),
    ]
    object.set("policy", policy.map(JSONValue.integer))
    object.set("news", news.map(JSONValue.integer))
    object.set("iat", .integer(issuedAt))
    object.set("exp", .integer(issuedAt + Self.lifetime))
    return .object(object)
  }

  /// Reads the claims; members that are not in the form above are ignored.
  ///
  /// - Returns: nil if one is missing, or not of its form.
  public init?(claims: JSONObject) {
    guard case .string(let deviceID)? = claims["sub"], case .string(let machine)? = claims["machine"],
      case .string(let nonce)? = claims["nonce"], case .integer(let issuedAt)? = claims["iat"],
      let machineID = try? Base64URL.decode(machine, maximumCount: MachineSecret.machineIDByteCount),
      let nonceBytes = try? Base64URL.decode(nonce, maximumCount: MachineProof.nonceByteCount),
      machineID.count == MachineSecret.machineIDByteCount, nonceBytes.count == MachineProof.nonceByteCount,
      let policy = Self.number("policy", claims), let news = Self.number("news", claims)
    else { return nil }
    self.init(
      deviceID: deviceID, machineID: machineID, nonce: nonceBytes, policy: policy, news: news, issuedAt: issuedAt)
  }

  /// A number, which may be absent.
  ///
  /// - Returns: nil for something else in its place.
  private static func number(_ name: String, _ claims: JSONObject) -> Int64?? {
    switch claims[name] {
    case nil: .some(nil)
    case .integer(let number)?: .some(number)
    default: nil
    }
  }
}
