/// A response message: an array with one dictionary for each protocol version (UAF protocol 1.1, section 3.1).
public enum UAFResponse: Equatable, Sendable {
  case registration(RegistrationResponse)
  case authentication(AuthenticationResponse)

  /// Reads the array and keeps the dictionary of the highest version both sides speak.
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
