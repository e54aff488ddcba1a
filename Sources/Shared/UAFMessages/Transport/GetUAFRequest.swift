/// Asks a server for a UAF request (UAF client API and transport 1.1, section 3.1.3).
public struct GetUAFRequest: JSONRepresentable, Equatable, Sendable {
  /// The operation wanted.
  public let op: UAFOperation?

  /// An earlier request that this one replaces.
  public let previousRequest: String?

  /// What the server needs to know, itself JSON in a string: see ``RequestContext``.
  public let context: String?

  /// Makes the body.
  public init(op: UAFOperation?, previousRequest: String? = nil, context: String? = nil) {
    self.op = op
    self.previousRequest = previousRequest
    self.context = context
  }

  /// Reads the body.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    op = try reader.optionalChild("op", as: UAFOperation.self)
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

/// What a client tells the server in addition to the UAF message: the JSON inside the `context` strings.
///
/// The names follow the FIDO Alliance's interface for server tests, with our own members in addition.
public struct RequestContext: JSONRepresentable, Equatable, Sendable {
  /// The account's name at the server, 1 to 128 characters.
  public var username: String
  /// A hash that identifies this machine to this application only, at most 128 characters.
  public var deviceID: String?
  /// A name people know the machine by, at most 128 characters.
  public var deviceName: String?
  /// The machine's model, at most 128 characters.
  public var deviceModel: String?
  /// The machine's system, at most 128 characters.
  public var deviceOS: String?
  /// With an authentication: the PAM service at which the person logs in; our own member.
  public var service: PAMServiceName?
  /// The code of a text that waits to be approved, at most 256 characters; for other servers, also their enrolment code.
  public var authCode: String?
  /// A proof that the client has an enrolment code, which it does not send: 32 bytes, see ``EnrolmentCode``; our own member.
  public var codeProof: [UInt8]?
  /// With new keys: a proof that the holder of the enrolment code allows them, 32 bytes over ``NewKeysStatement``; our own
  /// member.
  public var codeMAC: [UInt8]?
  /// With new keys: a proof that they were made on the joined machine, 32 bytes over ``NewKeysStatement``; our own member.
  public var machineMAC: [UInt8]?
  /// With ``machineMAC``: the machine's ID, 16 bytes; our own member.
  public var machineID: [UInt8]?
  /// With new keys: a UAF response with which registered keys authorise them, at most 16,384 characters; our own member.
  public var authorization: String?
  /// A text to be confirmed, at most 2048 characters.
  public var transaction: String?
  /// A token of a fresh authentication, at most 16,384 characters, valid only for the operation that it names.
  public var proof: String?
  /// With an authentication: the operation that its token should authorise.
  public var proofFor: UAFOperation?
  /// The authenticator to deregister.
  public var deregisterAAID: AAID?
  /// Whether to deregister every authenticator of the account.
  public var deregisterAll: Bool?
  /// With a deregistration: the only keys that it concerns, at most 64; our own member.
  public var deregisterKeyIDs: [KeyID] = []
  /// With a registration: keys of the account that this machine made and lost, at most 64; our own member.
  ///
  /// The new key replaces them, if the server supports the member.
  public var lostKeyIDs: [KeyID] = []

  /// With an authentication by code: whether the person denies the text that waits.
  public var denies: Bool?

  /// Makes a context with the mandatory member; the others are set afterwards.
  public init(username: String) {
    self.username = username
  }

  /// Names keys to be removed, and their owner.
  ///
  /// The members for the scope are those of the FIDO Alliance's interface, which does not distinguish machines.
  ///
  /// - Parameter authenticator: nil for every authenticator of the account.
  public mutating func describeRemoval(of authenticator: AAID?, _ keyIDs: [KeyID]) {
    deregisterAAID = authenticator
    deregisterAll = authenticator == nil ? true : nil
    deregisterKeyIDs = keyIDs
  }

  /// Reads the context.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    username = try reader.string("username", characters: 1...128)
    deviceID = try reader.optionalStoredText("deviceID")
    deviceName = try reader.optionalStoredText("deviceName")
    deviceModel = try reader.optionalStoredText("deviceModel")
    deviceOS = try reader.optionalStoredText("deviceOS")
    // It is only recorded, so a value of a different form is left out and not refused.
    service = (try? reader.optionalString("service")).flatMap { PAMServiceName($0) }
    authCode = try reader.optionalString("authCode", characters: 1...256)
    transaction = try reader.optionalString("transaction", characters: 1...2048)
    proof = try reader.optionalString("proof", characters: 1...16_384)
    codeProof = try Self.bytes("codeProof", 32, reader)
    codeMAC = try Self.bytes("codeMAC", 32, reader)
    machineMAC = try Self.bytes("machineMAC", 32, reader)
    machineID = try Self.bytes("machineID", MachineSecret.machineIDByteCount, reader)
    authorization = try reader.optionalString("authorization", characters: 1...16_384)
    proofFor = try reader.optionalChild("proofFor", as: UAFOperation.self)
    deregisterAAID = try reader.optionalChild("deregisterAAID", as: AAID.self)
    deregisterAll = try reader.optionalBool("deregisterAll")
    denies = try reader.optionalBool("deny")
    deregisterKeyIDs = try Self.keyIDs("deregisterKeyIDs", reader)
    lostKeyIDs = try Self.keyIDs("lostKeyIDs", reader)
  }

  private static func bytes(_ member: String, _ count: Int, _ reader: MemberReader) throws(MessageError) -> [UInt8]? {
    guard let text = try reader.optionalString(member, characters: 1...64) else { return nil }
    return try JSONValue.string(text).decodedBase64URL(path: reader.name(member), counts: count...count)
  }

  private static func keyIDs(_ member: String, _ reader: MemberReader) throws(MessageError) -> [KeyID] {
    let keyIDs = try reader.optionalList(member, of: KeyID.self) ?? []
    guard keyIDs.count <= 64 else { throw .outOfRange(reader.name(member)) }
    return keyIDs
  }

  /// The context as JSON; an empty text is left out, because null and empty members must not be sent.
  public var json: JSONValue {
    var object: JSONObject = ["username": .string(username)]
    let texts = [
      ("deviceID", deviceID), ("deviceName", deviceName), ("deviceModel", deviceModel), ("deviceOS", deviceOS),
      ("service", service?.text), ("authCode", authCode), ("transaction", transaction), ("proof", proof),
      ("authorization", authorization), ("codeProof", codeProof.map(Base64URL.encode)),
      ("codeMAC", codeMAC.map(Base64URL.encode)), ("machineMAC", machineMAC.map(Base64URL.encode)),
      ("machineID", machineID.map(Base64URL.encode)),
    ]
    for (name, text) in texts {
      if let text, !text.isEmpty { object.set(name, .string(text)) }
    }
    object.set("proofFor", proofFor?.json)
    object.set("deregisterAAID", deregisterAAID?.json)
    object.set("deregisterAll", deregisterAll.map(JSONValue.bool))
    object.set("deregisterKeyIDs", JSONValue.list(deregisterKeyIDs))
    object.set("lostKeyIDs", JSONValue.list(lostKeyIDs))
    object.set("deny", denies.map(JSONValue.bool))
    return .object(object)
  }

  /// The statement for a removal of keys: the account and machine, the model, and the keys.
  ///
  /// Both ends make it from the request for the deregistration, or from the authentication that should authorise it.
  public var removalStatement: [UInt8] {
    var statement = Statement("pam-uaf removal")
    statement.add(fields: [username, deviceID ?? "", deregisterAAID?.text ?? ""])
    for keyID in deregisterKeyIDs { statement.add(field: keyID.bytes) }
    return statement.bytes
  }
}

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

  /// Tokens in addition to the order of a deregistration; our own member, because no message follows the order.
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
