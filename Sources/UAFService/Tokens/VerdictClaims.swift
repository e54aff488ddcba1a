import UAFMessages

/// What a token of this server says: who did what, when, and what it is a proof for.
struct VerdictClaims: Equatable, Sendable {
  /// `iss`: the AppID.
  let issuer: String
  /// `sub`: the account.
  let subject: String
  /// `op`: the operation that was completed.
  let operation: UAFOperation
  /// `use`: the operations the token is a proof for; none for an ordinary login.
  let proofOperations: [UAFOperation]
  /// `challenge`: base64url of the challenge's SHA-256.
  let challengeHash: String
  /// `iat`, seconds since 1970.
  let issuedAt: Int64
  /// `exp`, seconds since 1970.
  let expiresAt: Int64
  /// `jti`.
  let tokenID: String
  /// `machine`: base64url of the SHA-256 of the secret that the machine is given; nil if it is given none.
  let machineHash: String?

  var json: JSONValue {
    var object: JSONObject = [
      "iss": .string(issuer), "sub": .string(subject), "op": operation.json,
      "use": .array(proofOperations.map(\.json)), "challenge": .string(challengeHash), "iat": .integer(issuedAt),
      "exp": .integer(expiresAt), "jti": .string(tokenID),
    ]
    object.set("machine", machineHash.map(JSONValue.string))
    return .object(object)
  }

  init(
    issuer: String, subject: String, operation: UAFOperation, proofOperations: [UAFOperation], challengeHash: String,
    issuedAt: Int64, expiresAt: Int64, tokenID: String, machineHash: String? = nil
  ) {
    self.issuer = issuer
    self.subject = subject
    self.operation = operation
    self.proofOperations = proofOperations
    self.challengeHash = challengeHash
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.tokenID = tokenID
    self.machineHash = machineHash
  }

  /// Reads claims in the form above.
  ///
  /// - Returns: nil for anything else.
  init?(json: JSONValue) {
    guard case .object(let object) = json, case .string(let issuer)? = object["iss"],
      case .string(let subject)? = object["sub"], case .string(let name)? = object["op"],
      let operation = UAFOperation(rawValue: name), case .array(let uses)? = object["use"],
      case .string(let challengeHash)? = object["challenge"], case .integer(let issuedAt)? = object["iat"],
      case .integer(let expiresAt)? = object["exp"], case .string(let tokenID)? = object["jti"]
    else { return nil }
    let proofOperations = uses.compactMap { use in
      if case .string(let name) = use { UAFOperation(rawValue: name) } else { nil }
    }
    guard proofOperations.count == uses.count else { return nil }
    let machineHash: String? = if case .string(let hash)? = object["machine"] { hash } else { nil }
    self.init(
      issuer: issuer, subject: subject, operation: operation, proofOperations: proofOperations,
      challengeHash: challengeHash, issuedAt: issuedAt, expiresAt: expiresAt, tokenID: tokenID,
      machineHash: machineHash)
  }
}
