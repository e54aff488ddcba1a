import UAFCrypto
import UAFMessages

/// Writes the messages of one `/uaf/get`.
struct RequestIssuer {
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let context: RequestContext
  /// The same as it was sent.
  let contextText: String
  /// Seconds since 1970.
  let now: Int64
  /// Where the request came from; empty if that is not known.
  let address: String

  /// When a request that is issued now can no longer be answered, in seconds since 1970.
  var expiresAt: Int64 { now + IssuedRequest.lifetime }

  /// What the audit says of this request, in the transaction that does it.
  func event(_ kind: AuditKind, authenticators: [(aaid: AAID, keyID: KeyID)] = [], detail: String = "") -> AuditEntry {
    AuditEntry(
      time: now, kind: kind, account: context.username, actor: .person, address: address,
      machine: context.deviceName ?? context.deviceID ?? "",
      authenticators: authenticators.map { "\($0.aaid.text) \($0.keyID.text)" }.joined(separator: ", "), detail: detail)
  }

  /// What the audit says of a text that was denied.
  ///
  /// - Parameter id: of an approval.
  func denial(of kind: TextKind, id: Int64? = nil) -> AuditEntry {
    var detail: JSONObject = ["kind": .string(kind.rawValue)]
    detail.set("approval", id.map(JSONValue.integer))
    return event(.denial, detail: JSONValue.object(detail).text)
  }

  /// Makes a challenge that says what it is for.
  ///
  /// - Parameters:
  ///   - text: what the server adds to what was asked for.
  ///   - unique: 32 bytes that no other challenge has; random ones if nil.
  func challenge(
    for purpose: ChallengePurpose, text: TransactionText? = nil, unique: [UInt8]? = nil
  ) throws -> ServerChallenge {
    let statement = PurposedChallenge.statement(purpose, context: contextText, text: text?.shown)
    return try PurposedChallenge(
      purpose, hash: SHA256.hash(statement), unique: unique ?? environment.random(PurposedChallenge.uniqueByteCount)
    ).challenge
  }

  /// Seals session data for a challenge.
  func seal(_ data: ServerData, _ challenge: ServerChallenge) throws -> String {
    try ServerDataSeal(keys: environment.keys).seal(data, challenge: challenge.bytes)
  }

  /// The header of a request that has an answer.
  func header(_ operation: UAFOperation, upv: UPV, serverData: String) -> OperationHeader {
    OperationHeader(
      upv: upv, op: operation, appID: identity.appID, serverData: serverData,
      exts: environment.verificationMethods.extensions)
  }

  /// The outcome that hands the client this message.
  func issued(_ message: String, _ operation: UAFOperation, token: Token? = nil) -> RequestOutcome {
    .issued(
      ReturnUAFRequest(
        statusCode: .ok, uafRequest: message, op: operation,
        lifetimeMilliseconds: UInt32(IssuedRequest.lifetime) * 1000, additionalTokens: token.map { [$0] } ?? []))
  }
}
