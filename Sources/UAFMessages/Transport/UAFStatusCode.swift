/// A server's status in a transport body (UAF client API and transport 1.1, section 3.1.2).
///
/// A struct rather than an enum: a status that this version does not know is a refusal that is reported, not a parse
/// error.
public struct UAFStatusCode: RawRepresentable, JSONRepresentable, Hashable, Sendable {
  /// The number as sent.
  public let rawValue: UInt32

  /// Makes a status of its number.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reads the number.
  public init(json: JSONValue, path: String) throws(MessageError) {
    rawValue = try json.integer(path: path)
  }

  /// The status as JSON.
  public var json: JSONValue { .integer(Int64(rawValue)) }

  /// Success; no other status is.
  public static let ok = UAFStatusCode(rawValue: 1200)
  /// Accepted, not finished.
  public static let accepted = UAFStatusCode(rawValue: 1202)
  /// Bad request.
  public static let badRequest = UAFStatusCode(rawValue: 1400)
  /// Unauthorized, or the KeyID belongs to another account.
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
