/// A server's verdict on a UAF response (UAF client API and transport 1.1, section 3.1.6).
public struct ServerResponse: JSONRepresentable, Equatable, Sendable {
  /// The verdict; only ``UAFStatusCode/ok`` is success.
  public let statusCode: UAFStatusCode

  /// The server's text; it has to be cleaned before it is shown.
  public let description: String?

  /// Tokens.
  public let additionalTokens: [Token]

  /// Where a browser would go next.
  public let location: String?

  /// What a browser would post there.
  public let postData: String?

  /// A further UAF request, itself JSON in a string (step-up).
  public let newUAFRequest: String?

  /// Keys that the server has forgotten, of those that the registration named as lost; our own member.
  public let forgottenKeyIDs: [KeyID]

  /// The highest counter that the server has seen, if the answer's counter did not grow; our own member.
  public let seenCounter: SeenCounter?

  /// What the machine that answered is known by from now on; our own member.
  public let machineSecret: MachineSecret?

  /// Another number than the last one says that machines that have joined should check in; our own member.
  public let machineNews: Int64?

  /// Makes the body.
  public init(
    statusCode: UAFStatusCode, description: String? = nil, additionalTokens: [Token] = [], location: String? = nil,
    postData: String? = nil, newUAFRequest: String? = nil, forgottenKeyIDs: [KeyID] = [],
    seenCounter: SeenCounter? = nil, machineSecret: MachineSecret? = nil, machineNews: Int64? = nil
  ) {
    self.statusCode = statusCode
    self.description = description
    self.additionalTokens = additionalTokens
    self.location = location
    self.postData = postData
    self.newUAFRequest = newUAFRequest
    self.forgottenKeyIDs = forgottenKeyIDs
    self.seenCounter = seenCounter
    self.machineSecret = machineSecret
    self.machineNews = machineNews
  }

  /// Reads the body; texts without effect on the verdict may be empty.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    statusCode = try reader.child("statusCode", as: UAFStatusCode.self)
    description = try reader.optionalString("description", characters: 0...Int.max)
    additionalTokens = try reader.optionalList("additionalTokens", mayBeEmpty: true, of: Token.self) ?? []
    location = try reader.optionalString("location", characters: 0...Int.max)
    postData = try reader.optionalString("postData", characters: 0...Int.max)
    let newUAFRequest = try reader.optionalString("newUAFRequest", characters: 0...Int.max)
    self.newUAFRequest = newUAFRequest?.isEmpty == true ? nil : newUAFRequest
    forgottenKeyIDs = try reader.optionalList("forgottenKeyIDs", mayBeEmpty: true, of: KeyID.self) ?? []
    seenCounter = try reader.optionalChild("seenCounter", as: SeenCounter.self)
    machineSecret = try reader.optionalChild("machineSecret", as: MachineSecret.self)
    machineNews = try reader.optionalInteger("machineNews", as: Int64.self)
  }

  /// The body as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["statusCode": statusCode.json]
    object.set("description", description.map(JSONValue.string))
    object.set("additionalTokens", JSONValue.list(additionalTokens))
    object.set("location", location.map(JSONValue.string))
    object.set("postData", postData.map(JSONValue.string))
    object.set("newUAFRequest", newUAFRequest.map(JSONValue.string))
    object.set("forgottenKeyIDs", JSONValue.list(forgottenKeyIDs))
    object.set("seenCounter", seenCounter?.json)
    object.set("machineSecret", machineSecret?.json)
    object.set("machineNews", machineNews.map(JSONValue.integer))
    return .object(object)
  }
}
