import UAFMessages

/// What a token of this server says: who did what, with which keys, when, and what it authorises.
struct VerdictClaims: Equatable, Sendable {
  /// `iss`: the AppID.
  let issuer: String
  /// `sub`: the account.
  let subject: String
  /// `op`: the operation that was completed.
  let operation: UAFOperation
  /// `purpose`: what the challenge was for, in words.
  let purpose: String
  /// `challenge`: base64url of the challenge's SHA-256.
  let challengeHash: String
  /// `iat`, seconds since 1970.
  let issuedAt: Int64
  /// `exp`, seconds since 1970.
  let expiresAt: Int64
  /// `jti`.
  let tokenID: String
  /// `use`: the operations that the token authorises; none for an ordinary login.
  var use: [UAFOperation] = []
  /// `over`: base64url of the SHA-256 of what it authorises; nil where the operation is all.
  var proofSubject: String?
  /// `keys`: the KeyIDs that signed, were registered or were removed.
  var keyIDs: [String] = []
  /// `text`: base64url of the SHA-256 of the text that was confirmed; nil without one.
  var textHash: String?
  /// `device`: the machine whose keys were registered or removed; nil where it named none.
  var deviceID: String?
  /// `machine`: base64url of the SHA-256 of the secret that the machine is given; nil if it is given none.
  var machineHash: String?

  var json: JSONValue {
    var object: JSONObject = [
      "iss": .string(issuer), "sub": .string(subject), "op": operation.json, "purpose": .string(purpose),
      "use": .array(use.map(\.json)), "challenge": .string(challengeHash), "iat": .integer(issuedAt),
      "exp": .integer(expiresAt), "jti": .string(tokenID), "keys": .array(keyIDs.map(JSONValue.string)),
    ]
    object.set("over", proofSubject.map(JSONValue.string))
    object.set("text", textHash.map(JSONValue.string))
    object.set("device", deviceID.map(JSONValue.string))
    object.set("machine", machineHash.map(JSONValue.string))
    return .object(object)
  }

  init(
    issuer: String, subject: String, operation: UAFOperation, purpose: ChallengePurpose, challengeHash: String,
    issuedAt: Int64, expiresAt: Int64, tokenID: String
  ) {
    self.issuer = issuer
    self.subject = subject
    self.operation = operation
    self.purpose = purpose.word
    self.challengeHash = challengeHash
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.tokenID = tokenID
  }

  /// Reads claims in the form above.
  ///
  /// - Returns: nil for anything else.
  init?(json: JSONValue) {
    guard case .object(let object) = json, case .string(let issuer)? = object["iss"],
      case .string(let subject)? = object["sub"], case .string(let name)? = object["op"],
      let operation = UAFOperation(rawValue: name), case .string(let purpose)? = object["purpose"],
      case .string(let challengeHash)? = object["challenge"], case .integer(let issuedAt)? = object["iat"],
      case .integer(let expiresAt)? = object["exp"], case .string(let tokenID)? = object["jti"],
      let uses = Self.texts(object["use"]), let keyIDs = Self.texts(object["keys"])
    else { return nil }
    self.issuer = issuer
    self.subject = subject
    self.operation = operation
    self.purpose = purpose
    self.challengeHash = challengeHash
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.tokenID = tokenID
    self.keyIDs = keyIDs
    use = uses.compactMap(UAFOperation.init(rawValue:))
    guard use.count == uses.count else { return nil }
    proofSubject = Self.text(object["over"])
    textHash = Self.text(object["text"])
    deviceID = Self.text(object["device"])
    machineHash = Self.text(object["machine"])
  }

  private static func text(_ value: JSONValue?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  private static func texts(_ value: JSONValue?) -> [String]? {
    guard case .array(let values)? = value else { return nil }
    let texts = values.compactMap(text)
    return texts.count == values.count ? texts : nil
  }
}
