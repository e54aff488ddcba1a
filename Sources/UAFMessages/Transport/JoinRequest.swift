/// What a workstation sends to join a server; our own (PROTOCOL.md, "Joining").
public struct JoinRequest: JSONRepresentable, Equatable, Sendable {
  /// The length of the nonce.
  public static let nonceByteCount = 16
  /// The longest body in bytes.
  public static let maximumBytes = 4096

  /// The join code, 1 to 256 characters.
  public let code: String
  /// Random bytes: the answer names them.
  public let nonce: [UInt8]
  /// Tells this machine apart, 1 to 128 characters; the same that its registrations name.
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
