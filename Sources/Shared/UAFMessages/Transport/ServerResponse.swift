/// A server's verdict on a UAF response (UAF client API and transport 1.1, section 3.1.6).
public struct ServerResponse: JSONRepresentable, Equatable, Sendable {
  /// The verdict; only ``UAFStatusCode/ok`` is success.
  public let statusCode: UAFStatusCode

  /// The server's text; it must be cleaned before it is shown.
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

  /// The highest counter that the server has seen, if the counter in the response was not above it; our own member.
  public let seenCounter: SeenCounter?

  /// The new machine secret of the machine that sent the response, valid from now on; our own member.
  public let machineSecret: MachineSecret?

  /// If this number differs from the last one, joined machines should check in; our own member.
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

/// Sends a UAF response to a server (UAF client API and transport 1.1, section 3.1.5).
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

/// A token that a server issues in addition to its verdict (UAF client API and transport 1.1, section 3.1.7).
public struct Token: JSONRepresentable, Equatable, Sendable {
  /// The token's kind, such as `JWT`.
  public let type: String

  /// The token.
  public let value: String

  /// Makes a token.
  public init(type: String, value: String) {
    self.type = type
    self.value = value
  }

  /// A JSON web token.
  public static let jwt = "JWT"

  /// The one of these tokens that is passed on: the first JWT, or else the first of any type.
  public static func passedOn(_ tokens: [Token]) -> String? { (tokens.first { $0.type == jwt } ?? tokens.first)?.value }

  /// Reads the token.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    type = try reader.string("type", characters: 1...64)
    value = try reader.string("value", characters: 1...16_384)
  }

  /// The token as JSON.
  public var json: JSONValue { .object(["type": .string(type), "value": .string(value)]) }
}

/// A server's status in a transport body (UAF client API and transport 1.1, section 3.1.2).
///
/// A struct rather than an enum: a status that this version does not know is a refusal that is reported, not a parse
/// error.
public struct UAFStatusCode: RawRepresentable, JSONRepresentable, Hashable, Sendable {
  /// The number as sent.
  public let rawValue: UInt32

  /// Makes a status from its number.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reads the number.
  public init(json: JSONValue, path: String) throws(MessageError) {
    rawValue = try json.integer(path: path)
  }

  /// The status as JSON.
  public var json: JSONValue { .integer(Int64(rawValue)) }

  /// Success; no other status means success.
  public static let ok = UAFStatusCode(rawValue: 1200)
  /// Accepted, but not finished.
  public static let accepted = UAFStatusCode(rawValue: 1202)
  /// Bad request.
  public static let badRequest = UAFStatusCode(rawValue: 1400)
  /// Unauthorized, or the KeyID belongs to a different account.
  public static let unauthorized = UAFStatusCode(rawValue: 1401)
  /// Forbidden; do not try again.
  public static let forbidden = UAFStatusCode(rawValue: 1403)
  /// Not found.
  public static let notFound = UAFStatusCode(rawValue: 1404)
  /// Timed out.
  public static let requestTimeout = UAFStatusCode(rawValue: 1408)
  /// Unknown AAID.
  public static let unknownAAID = UAFStatusCode(rawValue: 1480)
  /// Unknown KeyID.
  public static let unknownKeyID = UAFStatusCode(rawValue: 1481)
  /// Channel binding refused.
  public static let channelBindingRefused = UAFStatusCode(rawValue: 1490)
  /// Request invalid: challenge unknown, expired or used.
  public static let requestInvalid = UAFStatusCode(rawValue: 1491)
  /// Authenticator does not satisfy the policy.
  public static let unacceptableAuthenticator = UAFStatusCode(rawValue: 1492)
  /// Authenticator revoked.
  public static let revokedAuthenticator = UAFStatusCode(rawValue: 1493)
  /// Key unacceptable.
  public static let unacceptableKey = UAFStatusCode(rawValue: 1494)
  /// Algorithm unacceptable.
  public static let unacceptableAlgorithm = UAFStatusCode(rawValue: 1495)
  /// Attestation unacceptable.
  public static let unacceptableAttestation = UAFStatusCode(rawValue: 1496)
  /// Client capabilities unacceptable.
  public static let unacceptableClientCapabilities = UAFStatusCode(rawValue: 1497)
  /// Content unacceptable.
  public static let unacceptableContent = UAFStatusCode(rawValue: 1498)
  /// Internal error.
  public static let internalServerError = UAFStatusCode(rawValue: 1500)
}

/// The highest counter of a key that a server has seen; our own member, in the refusal of a signature whose counter did
/// not grow.
public struct SeenCounter: JSONRepresentable, Equatable, Sendable {
  /// The key.
  public let keyID: KeyID
  /// The highest counter that was accepted.
  public let signCounter: UInt32

  /// Makes a seen counter.
  public init(keyID: KeyID, signCounter: UInt32) {
    self.keyID = keyID
    self.signCounter = signCounter
  }

  /// Reads a seen counter.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    keyID = try reader.child("keyID", as: KeyID.self)
    signCounter = try reader.integer("signCounter", as: UInt32.self)
  }

  /// The JSON form.
  public var json: JSONValue {
    .object(["keyID": keyID.json, "signCounter": .integer(Int64(signCounter))])
  }
}
