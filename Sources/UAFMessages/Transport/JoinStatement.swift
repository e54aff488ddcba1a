/// What a server signs for a workstation that has joined; our own (PROTOCOL.md, "Joining").
///
/// It goes as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict.
public struct JoinStatement: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "machine-join+jwt"
  /// How long a statement answers the request that it names, in seconds.
  public static let lifetime: Int64 = 60
  /// The length of a SHA-256.
  private static let hashByteCount = 32

  /// The machine that has asked, as it named itself.
  public let deviceID: String
  /// The random bytes of its request.
  public let nonce: [UInt8]
  /// The group that it is in from now on.
  public let group: MachineGroup
  /// SHA-256 of ``MachineSecret/bytes``.
  public let secretHash: [UInt8]
  /// Seconds since 1970.
  public let issuedAt: Int64

  /// Makes a statement.
  public init(deviceID: String, nonce: [UInt8], group: MachineGroup, secretHash: [UInt8], issuedAt: Int64) {
    self.deviceID = deviceID
    self.nonce = nonce
    self.group = group
    self.secretHash = secretHash
    self.issuedAt = issuedAt
  }

  /// The claims of the token.
  public var json: JSONValue {
    .object([
      "sub": .string(deviceID), "nonce": .string(Base64URL.encode(nonce)), "group": .string(group.name),
      "machine": .string(Base64URL.encode(secretHash)), "iat": .integer(issuedAt),
      "exp": .integer(issuedAt + Self.lifetime),
    ])
  }

  /// Reads the claims; members that are not in the form above are ignored.
  ///
  /// - Returns: nil if one is missing, or not of its form.
  public init?(claims: JSONObject) {
    guard case .string(let deviceID)? = claims["sub"], case .string(let nonce)? = claims["nonce"],
      case .string(let name)? = claims["group"], let group = MachineGroup(name),
      case .string(let hash)? = claims["machine"], case .integer(let issuedAt)? = claims["iat"],
      let nonceBytes = try? Base64URL.decode(nonce, maximumCount: JoinRequest.nonceByteCount),
      let secretHash = try? Base64URL.decode(hash, maximumCount: Self.hashByteCount),
      nonceBytes.count == JoinRequest.nonceByteCount, secretHash.count == Self.hashByteCount
    else { return nil }
    self.init(deviceID: deviceID, nonce: nonceBytes, group: group, secretHash: secretHash, issuedAt: issuedAt)
  }
}
