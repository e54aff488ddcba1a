/// What an administrator gives to workstations that are to join: one line of base64url with JSON inside; our own.
///
/// It names the server and what to trust of it. Whoever has it can join machines as long as its code is open, and do
/// nothing else.
public struct MachinePayload: JSONRepresentable, Equatable, Sendable {
  /// The server's base URL, https or http to this machine, at most 2048 characters.
  public let server: String
  /// The join code, 1 to 256 characters.
  public let code: String
  /// When the code ends, in seconds since 1970.
  public let expires: Int64
  /// The group that machines join with it.
  public let group: MachineGroup
  /// Certificate authority of the server in PEM, at most 16,384 characters; nil if the system's authorities know the server.
  public let ca: String?
  /// The public keys of the server's verdicts in PEM, the one in use first, at most 8,192 characters.
  public let verdictKeys: String

  /// Makes a payload.
  public init(
    server: String, code: String, expires: Int64, group: MachineGroup, ca: String? = nil, verdictKeys: String
  ) {
    self.server = server
    self.code = code
    self.expires = expires
    self.group = group
    self.ca = ca
    self.verdictKeys = verdictKeys
  }

  /// Reads the decoded payload; any other version than 1 is refused, and so is a payload for anything else than joining.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    guard try reader.integer("v", as: Int64.self) == Self.version else { throw .unsupportedVersion }
    guard try reader.string("op") == Self.operation else { throw .wrongOperation }
    server = try reader.serverAddress("server")
    code = try reader.string("code", characters: 1...256)
    expires = try reader.integer("expires", as: Int64.self)
    guard expires >= 0 else { throw .outOfRange(reader.name("expires")) }
    guard let group = MachineGroup(try reader.string("group", characters: 1...64)) else {
      throw .outOfRange(reader.name("group"))
    }
    self.group = group
    ca = try reader.optionalString("ca", characters: 1...16_384)
    verdictKeys = try reader.string("verdictKeys", characters: 1...8192)
  }

  /// The payload as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "v": .integer(Self.version), "op": .string(Self.operation), "server": .string(server), "code": .string(code),
      "expires": .integer(expires), "group": .string(group.name), "verdictKeys": .string(verdictKeys),
    ]
    object.set("ca", ca.map(JSONValue.string))
    return .object(object)
  }

  /// Reads the line an administrator was given; white space around it must be gone already.
  ///
  /// - Throws: ``MessageError``; more than 32 KiB decoded are refused.
  public init(encoded line: String) throws(MessageError) {
    let bytes = try JSONValue.string(line).decodedBase64URL(path: "payload", counts: 2...Self.maximumCount)
    try self.init(json: JSONValue(message: bytes, limits: JSONLimits(maximumBytes: Self.maximumCount)), path: "payload")
  }

  /// The line to hand out.
  public var encoded: String { Base64URL.encode(jsonBytes) }

  /// What the fingerprint of a server is the SHA-256 of: its address and all that a workstation trusts of it.
  ///
  /// Each text has its length before it, so that no two servers have the same bytes.
  public var fingerprinted: [UInt8] {
    var statement = Statement("pam-uaf server")
    statement.add(fields: [server, ca ?? "", verdictKeys])
    return statement.bytes
  }

  private static let version: Int64 = 1
  private static let operation = "Join"
  private static let maximumCount = 32_768
}
