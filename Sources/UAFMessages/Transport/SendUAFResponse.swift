/// Hands a server the UAF response (UAF client API and transport 1.1, section 3.1.5).
public struct SendUAFResponse: JSONRepresentable, Equatable, Sendable {
  /// The UAF message, itself JSON in a string.
  public let uafResponse: String

  /// What the server needs to know, itself JSON in a string: see ``RequestContext``.
  public let context: String?

  /// Makes the body.
  public init(uafResponse: String, context: String? = nil) {
    self.uafResponse = uafResponse
    self.context = context
  }

  /// Reads the body.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    uafResponse = try reader.string("uafResponse")
    context = try reader.optionalString("context")
  }

  /// The body as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["uafResponse": .string(uafResponse)]
    object.set("context", context.map(JSONValue.string))
    return .object(object)
  }
}
