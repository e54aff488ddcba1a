/// A server's answer to ``GetUAFRequest`` (UAF client API and transport 1.1, section 3.1.4).
public struct ReturnUAFRequest: JSONRepresentable, Equatable, Sendable {
  /// Whether there is a request, and if not, why.
  public let statusCode: UAFStatusCode

  /// The UAF message, itself JSON in a string; nil unless the status is OK.
  public let uafRequest: String?

  /// The operation of the request.
  public let op: UAFOperation?

  /// How long the request is valid, in milliseconds.
  public let lifetimeMilliseconds: UInt32?

  /// Tokens beside the order of a deregistration; our own member, since nothing follows the order.
  public let additionalTokens: [Token]

  /// Makes the body.
  public init(
    statusCode: UAFStatusCode, uafRequest: String? = nil, op: UAFOperation? = nil, lifetimeMilliseconds: UInt32? = nil,
    additionalTokens: [Token] = []
  ) {
    self.additionalTokens = additionalTokens
    self.statusCode = statusCode
    self.uafRequest = uafRequest
    self.op = op
    self.lifetimeMilliseconds = lifetimeMilliseconds
  }

  /// Reads the body.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    statusCode = try reader.child("statusCode", as: UAFStatusCode.self)
    let uafRequest = try reader.optionalString("uafRequest", characters: 0...Int.max)
    self.uafRequest = uafRequest?.isEmpty == true ? nil : uafRequest
    op = try reader.optionalChild("op", as: UAFOperation.self)
    lifetimeMilliseconds = try reader.optionalInteger("lifetimeMillis", as: UInt32.self)
    additionalTokens = try reader.optionalList("additionalTokens", of: Token.self) ?? []
  }

  /// The body as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["statusCode": statusCode.json]
    object.set("uafRequest", uafRequest.map(JSONValue.string))
    object.set("op", op?.json)
    object.set("lifetimeMillis", lifetimeMilliseconds.map { .integer(Int64($0)) })
    object.set("additionalTokens", JSONValue.list(additionalTokens))
    return .object(object)
  }
}
