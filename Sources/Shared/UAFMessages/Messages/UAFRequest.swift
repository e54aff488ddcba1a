/// A request message: an array with one dictionary for each protocol version (UAF protocol 1.1, section 3.1).
public enum UAFRequest: Equatable, Sendable {
  case registration(RegistrationRequest)
  case authentication(AuthenticationRequest)
  case deregistration(DeregistrationRequest)

  /// Reads the array and keeps the dictionary of the highest version that both sides support.
  ///
  /// Of dictionaries of other versions only the version is read.
  /// - Throws: ``MessageError``, ``MessageError/unsupportedVersion`` if none is ours.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(MessageError) {
    let (json, path) = try VersionedMessage.select(from: JSONValue(message: bytes, limits: limits))
    let reader = try MemberReader(json, path: path)
    switch try reader.child("header", as: OperationHeader.self).op {
    case .registration: self = .registration(try RegistrationRequest(json: json, path: path))
    case .authentication: self = .authentication(try AuthenticationRequest(json: json, path: path))
    case .deregistration: self = .deregistration(try DeregistrationRequest(json: json, path: path))
    }
  }

  /// Reads a message that was itself a string of a transport body.
  ///
  /// - Throws: ``MessageError``.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(MessageError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The header.
  public var header: OperationHeader {
    switch self {
    case .registration(let request): request.header
    case .authentication(let request): request.header
    case .deregistration(let request): request.header
    }
  }

  /// The dictionary of this version as JSON, without the array around it.
  public var json: JSONValue {
    switch self {
    case .registration(let request): request.json
    case .authentication(let request): request.json
    case .deregistration(let request): request.json
    }
  }

  /// The text of a message with a request in several versions, which differ only in the version.
  ///
  /// The rest, which is most of what a server sends, is encoded only once.
  public static func text(of request: AuthenticationRequest, in versions: [UPV]) -> String {
    // The version is the first member of the first member.
    let (beforeVersion, written) = (Array(#"{"header":{"upv":"#.utf8), request.json.bytes)
    let rest = written.dropFirst(beforeVersion.count + request.header.upv.json.bytes.count)
    var text = Array("[".utf8)
    text.reserveCapacity(2 + versions.count * (written.count + 1))
    for version in versions {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      text += beforeVersion
      text += version.json.bytes
      text += rest
    }
    text.append(UInt8(ascii: "]"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The text of a message with one dictionary for each of the requests.
  public static func text(of versions: [UAFRequest]) -> String {
    JSONValue.array(versions.map { $0.json }).text
  }
}

/// A response message: an array with one dictionary for each protocol version (UAF protocol 1.1, section 3.1).
public enum UAFResponse: Equatable, Sendable {
  case registration(RegistrationResponse)
  case authentication(AuthenticationResponse)

  /// Reads the array and keeps the dictionary of the highest version that both sides support.
  ///
  /// - Throws: ``MessageError``; a deregistration has no response, so it is ``MessageError/wrongOperation``.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(MessageError) {
    let (json, path) = try VersionedMessage.select(from: JSONValue(message: bytes, limits: limits))
    let reader = try MemberReader(json, path: path)
    switch try reader.child("header", as: OperationHeader.self).op {
    case .registration: self = .registration(try RegistrationResponse(json: json, path: path))
    case .authentication: self = .authentication(try AuthenticationResponse(json: json, path: path))
    case .deregistration: throw .wrongOperation
    }
  }

  /// Reads a message that was itself a string of a transport body.
  ///
  /// - Throws: ``MessageError``.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(MessageError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The header.
  public var header: OperationHeader {
    switch self {
    case .registration(let response): response.header
    case .authentication(let response): response.header
    }
  }

  /// The final challenge parameters as sent: the text whose ASCII bytes are hashed.
  public var fcParams: String {
    switch self {
    case .registration(let response): response.fcParams
    case .authentication(let response): response.fcParams
    }
  }

  /// The message's text: an array of this one dictionary.
  public var text: String {
    switch self {
    case .registration(let response): JSONValue.array([response.json]).text
    case .authentication(let response): JSONValue.array([response.json]).text
    }
  }
}

/// The header of every UAF message (UAF protocol 1.1, section 3.1.3).
public struct OperationHeader: JSONRepresentable, Equatable, Sendable {
  /// The protocol version.
  public let upv: UPV

  /// The operation.
  public let op: UAFOperation

  /// The application, at most 512 characters; nil or empty means the caller's own FacetID.
  public let appID: String?

  /// The server's session data, 1 to 1536 characters, sent back unchanged.
  public let serverData: String?

  /// Extensions.
  public let exts: [Extension]

  /// Makes a header.
  public init(upv: UPV, op: UAFOperation, appID: String?, serverData: String? = nil, exts: [Extension] = []) {
    self.upv = upv
    self.op = op
    self.appID = appID
    self.serverData = serverData
    self.exts = exts
  }

  /// Reads a header of any version; messages refuse versions that are not supported.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    upv = try reader.child("upv", as: UPV.self)
    op = try reader.child("op", as: UAFOperation.self)
    appID = try reader.optionalString("appID", characters: 0...512)
    let serverData = try reader.optionalString("serverData", characters: 0...1536)
    self.serverData = serverData?.isEmpty == true ? nil : serverData
    exts =
      try reader.optionalList("exts", mayBeEmpty: true) { (value, path) throws(MessageError) in
        try Extension(json: value, path: path, known: Self.knownExtensions)
      } ?? []
  }

  /// The extensions that are known in a header; elsewhere in a message, none is known.
  private static let knownExtensions = [UserVerificationMethodEntry.extensionID]

  /// Whether the message asks how the person was verified.
  public var asksForVerificationMethods: Bool {
    exts.contains { $0.id.isIdentical(to: UserVerificationMethodEntry.extensionID) }
  }

  /// The header as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["upv": upv.json, "op": op.json]
    object.set("appID", appID.map(JSONValue.string))
    object.set("serverData", serverData.map(JSONValue.string))
    object.set("exts", JSONValue.list(exts))
    return .object(object)
  }

  /// Equality of identifiers is by bytes.
  public static func == (left: OperationHeader, right: OperationHeader) -> Bool {
    left.upv == right.upv && left.op == right.op && left.exts == right.exts
      && left.json.bytes == right.json.bytes
  }
}

extension OperationHeader {
  /// The header among a message's members, which must be of this operation and of a version that we support.
  static func read(_ operation: UAFOperation, from reader: MemberReader) throws(MessageError) -> OperationHeader {
    let header = try reader.child("header", as: OperationHeader.self)
    guard UPV.supported.contains(header.upv) else { throw .unsupportedVersion }
    guard header.op == operation else { throw .wrongOperation }
    return header
  }
}

/// Chooses among the dictionaries of a UAF message.
enum VersionedMessage {
  /// The dictionary of the highest supported version, and its path in the array for errors.
  static func select(from message: JSONValue) throws(MessageError) -> (JSONValue, path: String) {
    let versions = try message.list(path: "message", mayBeEmpty: false) {
      (json, path) throws(MessageError) -> (UPV, JSONValue, String) in
      let header = try MemberReader(json, path: path).required("header")
      return (try MemberReader(header, path: "\(path).header").child("upv", as: UPV.self), json, path)
    }
    guard Set(versions.map(\.0)).count == versions.count else { throw .repeatedVersion }
    let ours = versions.filter { UPV.supported.contains($0.0) }
    guard let chosen = ours.max(by: { $0.0 < $1.0 }) else { throw .unsupportedVersion }
    return (chosen.1, chosen.2)
  }
}
