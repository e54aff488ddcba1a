/// Asks a server for a UAF request (UAF client API and transport 1.1, section 3.1.3).
public struct GetUAFRequest: JSONRepresentable, Equatable, Sendable {
  /// The operation wanted.
  public let op: Operation?

  /// An earlier request this one replaces.
  public let previousRequest: String?

  /// What the server needs to know, itself JSON in a string: see ``RequestContext``.
  public let context: String?

  /// Makes the body.
  public init(op: Operation?, previousRequest: String? = nil, context: String? = nil) {
    self.op = op
    self.previousRequest = previousRequest
    self.context = context
  }

  /// Reads the body.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    op = try reader.optionalChild("op", as: Operation.self)
    previousRequest = try reader.optionalString("previousRequest")
    context = try reader.optionalString("context")
  }

  /// The body as JSON.
  public var json: JSONValue {
    var object = JSONObject()
    object.set("op", op?.json)
    object.set("previousRequest", previousRequest.map(JSONValue.string))
    object.set("context", context.map(JSONValue.string))
    return .object(object)
  }
}
