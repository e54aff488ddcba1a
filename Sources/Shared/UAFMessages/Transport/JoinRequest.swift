/// What a workstation sends to join a server; our own (docs/protocol.md, "Joining").
public struct JoinRequest: JSONRepresentable, Equatable, Sendable {
  /// The length of the nonce.
  public static let nonceByteCount = 16
  /// The longest body in bytes.
  public static let maximumBytes = 4096

  /// The join code, 1 to 256 characters.
  public let code: String
  /// Random bytes: the answer repeats them.
  public let nonce: [UInt8]
  /// The machine's device ID, 1 to 128 characters; the same as in its registrations.
  public let deviceID: String
  /// As in ``RequestContext``.
  public let deviceName: String?
  /// As in ``RequestContext``.
  public let deviceModel: String?
  /// As in ``RequestContext``.
  public let deviceOS: String?

  /// Makes a request.
  public init(
    code: String, nonce: [UInt8], deviceID: String, deviceName: String? = nil, deviceModel: String? = nil,
    deviceOS: String? = nil
  ) {
    self.code = code
    self.nonce = nonce
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.deviceModel = deviceModel
    self.deviceOS = deviceOS
  }

  /// Reads the body.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    guard try reader.integer("v", as: Int64.self) == Self.version else { throw .unsupportedVersion }
    code = try reader.string("code", characters: 1...256)
    nonce = try reader.base64URL("nonce", counts: Self.nonceByteCount...Self.nonceByteCount)
    guard let id = try reader.optionalStoredText("deviceID") else { throw .missing(reader.name("deviceID")) }
    deviceID = id
    deviceName = try reader.optionalStoredText("deviceName")
    deviceModel = try reader.optionalStoredText("deviceModel")
    deviceOS = try reader.optionalStoredText("deviceOS")
  }

  /// The body as JSON; an empty text is left out.
  public var json: JSONValue {
    var object: JSONObject = [
      "v": .integer(Self.version), "code": .string(code), "nonce": .string(Base64URL.encode(nonce)),
      "deviceID": .string(deviceID),
    ]
    for (name, text) in [("deviceName", deviceName), ("deviceModel", deviceModel), ("deviceOS", deviceOS)] {
      if let text, !text.isEmpty { object.set(name, .string(text)) }
    }
    return .object(object)
  }

  private static let version: Int64 = 1
}

/// A server's answer to a workstation that wants to join; our own (docs/protocol.md, "Joining").
public struct JoinAnswer: JSONRepresentable, Equatable, Sendable {
  /// The verdict; only ``UAFStatusCode/ok`` is success.
  public let statusCode: UAFStatusCode
  /// With success: the machine secret from now on.
  public let machineSecret: MachineSecret?
  /// With success: a JSON web token with a ``JoinStatement``, signed with the verdict's key.
  public let token: String?

  /// Makes an answer.
  public init(statusCode: UAFStatusCode, machineSecret: MachineSecret? = nil, token: String? = nil) {
    self.statusCode = statusCode
    self.machineSecret = machineSecret
    self.token = token
  }

  /// Reads the body; null counts as absent.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    statusCode = try reader.child("statusCode", as: UAFStatusCode.self)
    machineSecret = try reader.optionalChild("machineSecret", as: MachineSecret.self)
    token = try reader.optionalString("token", characters: 1...4096)
  }

  /// The body as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["statusCode": statusCode.json]
    object.set("machineSecret", machineSecret?.json)
    object.set("token", token.map(JSONValue.string))
    return .object(object)
  }
}

/// What a server signs for a workstation that has joined; our own (docs/protocol.md, "Joining").
///
/// It is sent as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict.
public struct JoinStatement: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "machine-join+jwt"
  /// How long a statement is valid for the request that it names, in seconds.
  public static let lifetime: Int64 = 60
  /// The length of a SHA-256.
  private static let hashByteCount = 32

  /// The machine that asked, by the device ID that it gave.
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

/// The name of a group of workstations, which an administrator gives; our own.
///
/// 1 to 64 of `a` to `z`, digits, `.`, `_` and `-`; a letter or a digit first. So it can be used in a file name, a URL and a log.
public struct MachineGroup: Hashable, Sendable, CustomStringConvertible {
  /// The group of machines that nobody put into a different one.
  public static let standard = MachineGroup(checked: "default")

  /// The name.
  public let name: String

  private init(checked name: String) { self.name = name }

  /// Makes a group from a name.
  ///
  /// - Returns: nil for one that is not of the form above.
  public init?(_ name: String) {
    let bytes = name.utf8
    guard (1...64).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), bytes.first.map(Self.isFirst) == true else {
      return nil
    }
    self.name = name
  }

  /// The name.
  public var description: String { name }

  private static func isFirst(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool { isFirst(byte) || [0x2D, 0x2E, 0x5F].contains(byte) }
}
