/// A server's statement about an account for a machine that it knows; our own (docs/protocol.md, "The state of an account").
///
/// It is sent as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict.
public struct AccountStatement: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "account-state+jwt"
  /// The media type of the answer, whose whole body is the token.
  public static let contentType = "application/jwt"
  /// The longest token in bytes.
  public static let maximumBytes = 2048
  /// How long a statement is valid for the request that it names, in seconds.
  public static let lifetime: Int64 = 60

  /// The account's name at the server.
  public let account: String
  /// The account's state.
  public let state: AccountState
  /// The machine that has asked, by its ID at the server.
  public let machineID: [UInt8]
  /// The random bytes of that machine's proof.
  public let nonce: [UInt8]
  /// Seconds since 1970.
  public let issuedAt: Int64

  /// Makes a statement.
  public init(account: String, state: AccountState, machineID: [UInt8], nonce: [UInt8], issuedAt: Int64) {
    self.account = account
    self.state = state
    self.machineID = machineID
    self.nonce = nonce
    self.issuedAt = issuedAt
  }

  /// The claims of the token.
  public var json: JSONValue {
    var object: JSONObject = [
      "sub": .string(account), "machine": .string(Base64URL.encode(machineID)),
      "nonce": .string(Base64URL.encode(nonce)), "iat": .integer(issuedAt),
      "exp": .integer(issuedAt + Self.lifetime),
    ]
    switch state {
    case .active: object.set("state", .string("active"))
    case .disabled: object.set("state", .string("disabled"))
    case .locked(let until):
      object.set("state", .string("locked"))
      object.set("until", .integer(until))
    }
    return .object(object)
  }

  /// Reads the claims; members that are not in the form above are ignored.
  ///
  /// - Returns: nil if one is missing, or a state is not one of the three.
  public init?(claims: JSONObject) {
    guard case .string(let account)? = claims["sub"], case .string(let machine)? = claims["machine"],
      case .string(let nonce)? = claims["nonce"], case .integer(let issuedAt)? = claims["iat"],
      let machineID = try? Base64URL.decode(machine, maximumCount: MachineSecret.machineIDByteCount),
      let nonceBytes = try? Base64URL.decode(nonce, maximumCount: MachineProof.nonceByteCount)
    else { return nil }
    let state: AccountState
    switch (claims["state"], claims["until"]) {
    case (.string("active")?, nil): state = .active
    case (.string("disabled")?, nil): state = .disabled
    case (.string("locked")?, .integer(let until)?): state = .locked(until: until)
    default: return nil
    }
    self.init(account: account, state: state, machineID: machineID, nonce: nonceBytes, issuedAt: issuedAt)
  }
}

/// Whether an account may log in at the workstations of its server.
public enum AccountState: Equatable, Sendable {
  /// It may log in.
  case active
  /// It cannot log in until an administrator enables it. An account that the server no longer has is reported like this too.
  case disabled
  /// It cannot log in until this time, in seconds since 1970.
  case locked(until: Int64)
}
