/// What a person gets in order to register: one line of base64url with JSON inside.
public struct EnrolmentPayload: JSONRepresentable, Equatable, Sendable {
  /// The operation that the code allows.
  public let op: UAFOperation
  /// The server's base URL, https or http to this machine, at most 2048 characters.
  public let server: String
  /// The account's name at the server, 1 to 128 characters.
  public let username: String
  /// The one-time code, 1 to 256 characters.
  public let authCode: String
  /// `authCode` if it is an enrolment code of our own server, which never leaves the machine; nil for any other code.
  public let code: EnrolmentCode?
  /// When the code expires, in seconds since 1970.
  public let expires: Int64
  /// Certificate authority of the server in PEM, at most 16 KiB.
  ///
  /// It is trusted only if root's configuration has it too.
  public let ca: String?

  /// Makes a payload to register with at our server.
  public init(code: EnrolmentCode, server: String, username: String, expires: Int64, ca: String? = nil) {
    self.init(
      op: .registration, server: server, username: username, authCode: code.text, code: code, expires: expires, ca: ca)
  }

  /// Makes a payload whose code is sent to the server unchanged.
  public init(
    op: UAFOperation, server: String, username: String, authCode: String, expires: Int64, ca: String? = nil
  ) {
    self.init(op: op, server: server, username: username, authCode: authCode, code: nil, expires: expires, ca: ca)
  }

  private init(
    op: UAFOperation, server: String, username: String, authCode: String, code: EnrolmentCode?, expires: Int64,
    ca: String?
  ) {
    self.code = code
    self.op = op
    self.server = server
    self.username = username
    self.authCode = authCode
    self.expires = expires
    self.ca = ca
  }

  /// Reads the decoded payload.
  ///
  /// With version 2, the code must be one of our server, and anything else is refused; so is every version except 1 and 2.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    let version = try reader.integer("v", as: Int64.self)
    guard version == Self.plainVersion || version == Self.version else { throw .unsupportedVersion }
    op = try reader.child("op", as: UAFOperation.self)
    server = try reader.serverAddress("server")
    username = try reader.string("username", characters: 1...128)
    authCode = try reader.string("authCode", characters: 1...256)
    code = version == Self.version ? EnrolmentCode(typed: authCode) : nil
    guard version == Self.plainVersion || code != nil && op == .registration else {
      throw .outOfRange(reader.name("authCode"))
    }
    expires = try reader.integer("expires", as: Int64.self)
    guard expires >= 0 else { throw .outOfRange(reader.name("expires")) }
    ca = try reader.optionalString("ca", characters: 1...16_384)
  }

  /// The payload as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "v": .integer(code == nil ? Self.plainVersion : Self.version), "op": op.json, "server": .string(server),
      "username": .string(username),
      "authCode": .string(authCode), "expires": .integer(expires),
    ]
    object.set("ca", ca.map(JSONValue.string))
    return .object(object)
  }

  /// Reads the line that a person got; white space around it must already be removed.
  ///
  /// - Throws: ``MessageError``; more than 32 KiB decoded are refused.
  public init(encoded line: String) throws(MessageError) {
    let bytes = try JSONValue.string(line).decodedBase64URL(path: "code", counts: 2...Self.maximumCount)
    try self.init(json: JSONValue(message: bytes, limits: JSONLimits(maximumBytes: Self.maximumCount)), path: "code")
  }

  /// The line to hand out.
  public var encoded: String { Base64URL.encode(jsonBytes) }

  /// Whether a text that is neither a payload nor an ``EnrolmentCode`` may be one of them with a typing error.
  ///
  /// Whoever reads such a text in transit could find out the intended code, so it is sent to no server.
  public static func mayBeMistyped(_ text: String) -> Bool {
    let text = PastedCode.tidied(text)
    // A payload begins as base64url of `{"`; a different server's token has dots between its parts.
    return (text.hasPrefix("eyJ") && !text.utf8.contains(UInt8(ascii: "."))) || EnrolmentCode.mayBeMistyped(text)
  }

  private static let plainVersion: Int64 = 1
  private static let version: Int64 = 2
  private static let maximumCount = 32_768
}

/// What an administrator gives to workstations that should join: one line of base64url with JSON inside; our own.
///
/// It names the server and what to trust about it. With it, anybody can join machines as long as its code is open, and can do
/// nothing else.
public struct MachinePayload: JSONRepresentable, Equatable, Sendable {
  /// The server's base URL, https or http to this machine, at most 2048 characters.
  public let server: String
  /// The join code, 1 to 256 characters.
  public let code: String
  /// When the code expires, in seconds since 1970.
  public let expires: Int64
  /// The group that machines join with it.
  public let group: MachineGroup
  /// Certificate authority of the server in PEM, at most 16,384 characters; nil if an authority that the system trusts has
  /// issued the server's certificate.
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

  /// Reads the decoded payload; any version except 1 is refused, and so is a payload for anything but joining.
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

  /// Reads the line that an administrator got; white space around it must already be removed.
  ///
  /// - Throws: ``MessageError``; more than 32 KiB decoded are refused.
  public init(encoded line: String) throws(MessageError) {
    let bytes = try JSONValue.string(line).decodedBase64URL(path: "payload", counts: 2...Self.maximumCount)
    try self.init(json: JSONValue(message: bytes, limits: JSONLimits(maximumBytes: Self.maximumCount)), path: "payload")
  }

  /// The line to hand out.
  public var encoded: String { Base64URL.encode(jsonBytes) }

  /// The bytes whose SHA-256 is the fingerprint of a server: its address and everything that a workstation trusts about it.
  ///
  /// Each text is preceded by its length, so that no two servers have the same bytes.
  public var fingerprinted: [UInt8] {
    var statement = Statement("pam-uaf server")
    statement.add(fields: [server, ca ?? "", verdictKeys])
    return statement.bytes
  }

  private static let version: Int64 = 1
  /// The value of the member `op`.
  static let operation = "Join"
  private static let maximumCount = 32_768
}

extension MemberReader {
  /// The base URL of a server in visible ASCII: https, or http to this machine.
  func serverAddress(_ member: String) throws(MessageError) -> String {
    let address = try string(member, characters: 1...2048)
    let isPlain = HTTPSAddress(address, orPlainHere: true) != nil && address.utf8.starts(with: "http://".utf8)
    guard isPlain || address.utf8.starts(with: "https://".utf8), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .outOfRange(name(member)) }
    return address
  }
}
