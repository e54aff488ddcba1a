/// What a server answers to a workstation that wants to join; our own (PROTOCOL.md, "Joining").
public struct JoinAnswer: JSONRepresentable, Equatable, Sendable {
  /// The verdict; only ``UAFStatusCode/ok`` is success.
  public let statusCode: UAFStatusCode
  /// With success: by what the machine is known from now on.
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
