/// What a server answers to a machine that has told it how it is; our own (PROTOCOL.md, "Check-in").
public struct CheckInAnswer: JSONRepresentable, Equatable, Sendable {
  /// The longest policy in bytes.
  public static let maximumPolicyBytes = 24_576

  /// The verdict; only ``UAFStatusCode/ok`` is success.
  public let statusCode: UAFStatusCode
  /// With success: a JSON web token with a ``CheckInStatement``, signed with the verdict's key.
  public let token: String?
  /// A workstation policy for the machine, if it is another one than the machine uses: a JSON web token of its own.
  public let policy: String?

  /// Makes an answer.
  public init(statusCode: UAFStatusCode, token: String? = nil, policy: String? = nil) {
    self.statusCode = statusCode
    self.token = token
    self.policy = policy
  }

  /// Reads the body; null counts as absent.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    statusCode = try reader.child("statusCode", as: UAFStatusCode.self)
    token = try reader.optionalString("token", characters: 1...4096)
    policy = try reader.optionalString("policy", characters: 1...Self.maximumPolicyBytes)
    if let policy, policy.utf8.count > Self.maximumPolicyBytes { throw .outOfRange(reader.name("policy")) }
  }

  /// The body as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["statusCode": statusCode.json]
    object.set("token", token.map(JSONValue.string))
    object.set("policy", policy.map(JSONValue.string))
    return .object(object)
  }
}
