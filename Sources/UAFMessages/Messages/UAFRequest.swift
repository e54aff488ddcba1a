/// A request message: an array with one dictionary for each protocol version (UAF protocol 1.1, section 3.1).
public enum UAFRequest: Equatable, Sendable {
  case registration(RegistrationRequest)
  case authentication(AuthenticationRequest)
  case deregistration(DeregistrationRequest)

  /// Reads the array and keeps the dictionary of the highest version both sides speak.
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

  /// The text of a message with a request in several versions, which differ in nothing but the version.
  ///
  /// Everything else is written once: it is most of what a server sends.
  public static func text(of request: AuthenticationRequest, in versions: [UPV]) -> String {
    // The version is the first member of the first member.
    let (beforeVersion, written) = (Array(#"{"header":{"upv":"#.utf8), request.json.bytes)
    let rest = written.dropFirst(beforeVersion.count + request.header.upv.json.bytes.count)
    var text = Array("[".utf8)
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
