/// What a joined machine sends to report its condition to its server; our own (docs/protocol.md, "Check-in").
public struct CheckInRequest: JSONRepresentable, Equatable, Sendable {
  /// The longest body in bytes.
  public static let maximumBytes = 16_384

  /// What the machine reports.
  public let report: MachineReport

  /// Makes a request.
  public init(_ report: MachineReport) { self.report = report }

  /// Reads the body.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    guard try reader.integer("v", as: Int64.self) == Self.version else { throw .unsupportedVersion }
    report = try reader.child("report", as: MachineReport.self)
  }

  /// The body as JSON.
  public var json: JSONValue { .object(["v": .integer(Self.version), "report": report.json]) }

  /// The request with the report shortened so that the body is not too long.
  ///
  /// The last logins are left for the next report, and if that is not enough, wrong values and then locks are counted instead of
  /// named.
  public var fitting: CheckInRequest {
    var report = report
    while CheckInRequest(report).jsonBytes.count > Self.maximumBytes {
      if report.offlineLogins.popLast() != nil { continue }
      if report.wrongValues.popLast() != nil {
        report.moreWrongValues += 1
        continue
      }
      guard report.locks.popLast() != nil else { break }
      report.moreLocks += 1
    }
    return CheckInRequest(report)
  }

  /// The body as it is sent: JSON, and after it spaces up to ``maximumBytes``.
  ///
  /// So each encrypted report has the same length, and an observer of the network cannot tell how many locks it names.
  public var paddedBytes: [UInt8] {
    let bytes = jsonBytes
    return bytes + [UInt8](repeating: UInt8(ascii: " "), count: max(Self.maximumBytes - bytes.count, 0))
  }

  private static let version: Int64 = 1
}

/// A server's answer to a machine's check-in; our own (docs/protocol.md, "Check-in").
public struct CheckInAnswer: JSONRepresentable, Equatable, Sendable {
  /// The longest policy in bytes.
  public static let maximumPolicyBytes = 24_576

  /// The verdict; only ``UAFStatusCode/ok`` is success.
  public let statusCode: UAFStatusCode
  /// With success: a JSON web token with a ``CheckInStatement``, signed with the verdict's key.
  public let token: String?
  /// A workstation policy for the machine, if it differs from the one that the machine uses; as a separate JSON web token.
  public let policy: String?
  /// A ``TrustStatement`` as a separate JSON web token, signed with the verdict's key; nil from a server of an earlier version.
  public let trust: String?

  /// Makes an answer.
  public init(statusCode: UAFStatusCode, token: String? = nil, policy: String? = nil, trust: String? = nil) {
    self.statusCode = statusCode
    self.token = token
    self.policy = policy
    self.trust = trust
  }

  /// Reads the body; null counts as absent.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    statusCode = try reader.child("statusCode", as: UAFStatusCode.self)
    token = try reader.optionalString("token", characters: 1...4096)
    policy = try reader.optionalString("policy", characters: 1...Self.maximumPolicyBytes)
    if let policy, policy.utf8.count > Self.maximumPolicyBytes { throw .outOfRange(reader.name("policy")) }
    // A statement that is too long is refused by itself: the report was accepted nevertheless.
    trust = try reader.optionalString("trust")
  }

  /// The body as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["statusCode": statusCode.json]
    object.set("token", token.map(JSONValue.string))
    object.set("policy", policy.map(JSONValue.string))
    object.set("trust", trust.map(JSONValue.string))
    return .object(object)
  }
}

/// The claims that every signed statement about a check-in has: for which machine it is, and which proof it answers.
public struct CheckInClaims: Equatable, Sendable {
  /// How long a statement is valid for the request that it names, in seconds.
  public static let lifetime: Int64 = 60

  /// The machine's device id.
  public let deviceID: String
  /// The machine ID in the proof that was sent with the request.
  public let machineID: [UInt8]
  /// The nonce in the proof that was sent with the request.
  public let nonce: [UInt8]
  /// Seconds since 1970.
  public let issuedAt: Int64

  /// Makes the claims of a statement.
  public init(deviceID: String, machineID: [UInt8], nonce: [UInt8], issuedAt: Int64) {
    self.deviceID = deviceID
    self.machineID = machineID
    self.nonce = nonce
    self.issuedAt = issuedAt
  }

  /// Whether the statement is for the machine with this device id, and answers this proof of it.
  public func answer(_ proof: MachineProof, of deviceID: String) -> Bool {
    self.deviceID.isIdentical(to: deviceID) && machineID == proof.machineID && nonce == proof.nonce
  }

  /// The claims as members of a token.
  var object: JSONObject {
    [
      "sub": .string(deviceID), "machine": .string(Base64URL.encode(machineID)),
      "nonce": .string(Base64URL.encode(nonce)), "iat": .integer(issuedAt), "exp": .integer(issuedAt + Self.lifetime),
    ]
  }

  /// Reads the claims; other members are ignored.
  ///
  /// - Returns: nil if one is missing, or not of its form.
  init?(_ claims: JSONObject) {
    guard case .string(let deviceID)? = claims["sub"], case .string(let machine)? = claims["machine"],
      case .string(let nonce)? = claims["nonce"], case .integer(let issuedAt)? = claims["iat"],
      let machineID = try? Base64URL.decode(machine, maximumCount: MachineSecret.machineIDByteCount),
      let nonceBytes = try? Base64URL.decode(nonce, maximumCount: MachineProof.nonceByteCount),
      machineID.count == MachineSecret.machineIDByteCount, nonceBytes.count == MachineProof.nonceByteCount
    else { return nil }
    self.init(deviceID: deviceID, machineID: machineID, nonce: nonceBytes, issuedAt: issuedAt)
  }
}

/// What a server signs for a machine that has checked in; our own (docs/protocol.md, "Check-in").
///
/// It is sent as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict.
public struct CheckInStatement: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "machine-checkin+jwt"

  /// For which machine and proof it is.
  public let claims: CheckInClaims
  /// The version of the workstation policy for this machine; nil if there is none.
  public let policy: Int64?
  /// The number of the server's latest notice; see ``ServerResponse/machineNews``.
  public let news: Int64?

  /// Makes a statement.
  public init(_ claims: CheckInClaims, policy: Int64? = nil, news: Int64? = nil) {
    self.claims = claims
    self.policy = policy
    self.news = news
  }

  /// The claims of the token.
  public var json: JSONValue {
    var object = claims.object
    object.set("policy", policy.map(JSONValue.integer))
    object.set("news", news.map(JSONValue.integer))
    return .object(object)
  }

  /// Reads the claims; members that are not in the form above are ignored.
  ///
  /// - Returns: nil if one is missing, or not of its form.
  public init?(claims: JSONObject) {
    guard let found = CheckInClaims(claims), let policy = Self.number("policy", claims),
      let news = Self.number("news", claims)
    else { return nil }
    self.init(found, policy: policy, news: news)
  }

  /// A number, which may be absent.
  ///
  /// - Returns: nil if there is a value of a different type.
  private static func number(_ name: String, _ claims: JSONObject) -> Int64?? {
    switch claims[name] {
    case nil: .some(nil)
    case .integer(let number)?: .some(number)
    default: nil
    }
  }
}
