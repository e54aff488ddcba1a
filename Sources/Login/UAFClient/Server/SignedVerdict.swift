import UAFCrypto
import UAFMessages

/// A signed verdict: a JSON web token (RFC 7519, ES256) that states what the server accepted: account, operation, challenge,
/// purpose, keys, text, machine and time.
///
/// Not even the network program can forge it, or present one that was signed for something else.
public struct SignedVerdict: Sendable {
  /// Why a verdict is not accepted.
  public enum Fault: String, Error, Sendable {
    case missing = "the server's success has no token that is signed with verdict_key"
    case otherLogin = "the signed token is for a different account, operation or challenge"
    case otherPurpose = "attack: the signed token is for a different purpose from the one requested"
    case widerUse = "attack: the signed token authorises more than was requested"
    case otherKeys =
      "attack: the signed token is for keys other than those that signed, were made or were to be removed"
    case otherText = "attack: the signed token is for a text other than the confirmed one"
    case otherMachine = "attack: the signed token is for a different machine"
    case stale = "the signed token is too old or from the future; compare the clocks of this machine and the server"
  }

  /// Finds the token of this acceptance that is signed with one of the verdict keys and matches what was done here.
  ///
  /// - Parameters:
  ///   - publicKeys: 65 bytes `04 | X | Y` each; there are several while the server changes its key.
  ///   - now: seconds since 1970.
  /// - Returns: the acceptance; its machine secret is removed if the token does not cover it.
  /// - Throws: ``Fault``: if no token is valid, the fault of the one that passed the most checks.
  @discardableResult
  public static func check(_ acceptance: Acceptance, publicKeys: [[UInt8]], now: Int64) throws(Fault) -> Acceptance {
    guard let bytes = try? Base64URL.decode(acceptance.challenge, maximumCount: maximumChallenge),
      let hash = try? SHA256.hash(bytes)
    else { throw .otherLogin }
    let claims = try claims(
      among: acceptance.tokens, publicKeys, now, for: acceptance.username, acceptance.expected, over: hash)
    return covered(acceptance, by: claims)
  }

  /// Finds the token, signed with one of the verdict keys, that states that the server has removed the keys of an order.
  ///
  /// - Parameters: as for ``check(_:publicKeys:now:)-(Acceptance,_,_)``.
  /// - Throws: ``Fault``.
  public static func check(_ order: DeregistrationOrder, publicKeys: [[UInt8]], now: Int64) throws(Fault) {
    guard let hash = try? SHA256.hash(order.message) else { throw .otherLogin }
    let expected = ExpectedVerdict(.deregistration, for: .removal, keyIDs: order.askedKeyIDs, deviceID: order.deviceID)
    _ = try claims(among: order.tokens, publicKeys, now, for: order.username, expected, over: hash)
  }

  // A challenge of WebAuthn carries the server's session data.
  private static let maximumChallenge = 1024

  private static func claims(
    among tokens: [Token], _ publicKeys: [[UInt8]], _ now: Int64, for username: String, _ expected: ExpectedVerdict,
    over hash: [UInt8]
  ) throws(Fault) -> JSONObject {
    var fault = Fault.missing
    for token in tokens where token.type == Token.jwt {
      guard let claims = SignedToken.claims(of: token.value, publicKeys: publicKeys) else { continue }
      if let difference = difference(claims, username, expected, hash) {
        fault = difference
      } else if SignedToken.isFresh(claims, now: now) {
        return claims
      } else {
        fault = .stale
      }
    }
    throw fault
  }

  /// The first difference between the token's claims and what was done here; nil if there is none.
  private static func difference(_ claims: JSONObject, _ username: String, _ expected: ExpectedVerdict, _ hash: [UInt8])
    -> Fault?
  {
    guard text("sub", claims)?.isIdentical(to: username) == true,
      text("op", claims)?.isIdentical(to: expected.operation.rawValue) == true,
      text("challenge", claims)?.isIdentical(to: Base64URL.encode(hash)) == true
    else { return .otherLogin }
    guard isSame(text("purpose", claims), expected.purpose?.word) else { return .otherPurpose }
    guard case .array(let use)? = claims["use"], use.allSatisfy({ expected.use.map(\.json).contains($0) }) else {
      return .widerUse
    }
    guard hasKeys(claims, of: expected) else { return .otherKeys }
    guard isSame(text("text", claims), expected.textHash.map { Base64URL.encode($0) }) else { return .otherText }
    guard isSame(text("device", claims), expected.deviceID) else { return .otherMachine }
    return nil
  }

  /// In a removal, the server only names the keys that it had; they need not be all that were to be removed.
  private static func hasKeys(_ claims: JSONObject, of expected: ExpectedVerdict) -> Bool {
    guard case .array(let named)? = claims["keys"] else { return false }
    let told = Set(named.compactMap { value in if case .string(let text) = value { text } else { nil } })
    let done = Set(expected.keyIDs.map(\.text))
    guard told.count == named.count else { return false }
    return expected.operation == .deregistration ? done.isEmpty || told.isSubset(of: done) : told == done
  }

  /// Whether both texts have the same bytes, or both are missing.
  private static func isSame(_ told: String?, _ expected: String?) -> Bool {
    guard let told, let expected else { return told == nil && expected == nil }
    return told.isIdentical(to: expected)
  }

  private static func text(_ member: String, _ claims: JSONObject) -> String? {
    if case .string(let text)? = claims[member] { text } else { nil }
  }

  private static func covered(_ acceptance: Acceptance, by claims: JSONObject) -> Acceptance {
    guard let secret = acceptance.machineSecret else { return acceptance }
    if let told = text("machine", claims), let hash = try? SHA256.hash(secret.bytes),
      told.isIdentical(to: Base64URL.encode(hash))
    {
      return acceptance
    }
    var acceptance = acceptance
    acceptance.machineSecret = nil
    return acceptance
  }
}

/// A JSON web token (RFC 7519) of any type that is signed with ES256.
enum SignedToken {
  /// By how many seconds the clocks of server and machine may differ.
  static let clockTolerance: Int64 = 60
  /// The maximum lifetime in seconds.
  ///
  /// A token with a longer lifetime is refused, because it could be replayed for too long.
  static let maximumLifetime: Int64 = 300

  /// The maximum length of a token in bytes, unless the caller allows more.
  private static let maximumBytes = 8192

  /// The claims of a token whose signature is valid.
  ///
  /// - Parameters:
  ///   - type: the required `typ`; nil for any.
  ///   - publicKeys: 65 bytes `04 | X | Y` each; there are several while the server changes its key.
  ///   - maximumBytes: the maximum length of the token.
  static func claims(
    of token: String, type: String? = nil, publicKeys: [[UInt8]], maximumBytes: Int = maximumBytes
  ) -> JSONObject? {
    guard token.utf8.count <= maximumBytes else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, case .object(let header)? = json(parts[0], maximumBytes),
      // The algorithm is fixed: the token cannot choose it. A token with critical extensions is refused.
      header["alg"] == .string("ES256"), header["crit"] == nil, header["b64"] == nil,
      type.map({ header["typ"] == .string($0) }) ?? true,
      let signature = try? Base64URL.decode(parts[2], maximumCount: P256.signatureByteCount),
      // `kid` in the header is ignored: the token cannot choose the key.
      publicKeys.contains(where: { key in
        P256.isValidSignature(signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: key)
      }),
      case .object(let claims)? = json(parts[1], maximumBytes)
    else { return nil }
    return claims
  }

  private static func json(_ part: String, _ maximumBytes: Int) -> JSONValue? {
    guard let bytes = try? Base64URL.decode(part, maximumCount: maximumBytes) else { return nil }
    return try? JSONValue(parsing: bytes)
  }

  /// Whether a token with these claims is valid at a time, in seconds since 1970.
  static func isFresh(_ claims: JSONObject, now: Int64) -> Bool {
    guard case .integer(let issuedAt)? = claims["iat"], case .integer(let expiresAt)? = claims["exp"] else {
      return false
    }
    let (lifetime, tooLong) = expiresAt.subtractingReportingOverflow(issuedAt)
    guard !tooLong, (0...maximumLifetime).contains(lifetime) else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(issuedAt)
    return !overflow && age >= -clockTolerance && age <= lifetime + clockTolerance
  }
}

/// A success that the server reported.
public struct Acceptance: Equatable, Sendable, CustomStringConvertible {
  /// The tokens that the server issued; they are secret and must never be logged.
  public private(set) var tokens: [Token]
  /// The account's name at the server.
  public let username: String
  /// What was done here; the success must be about this.
  public let expected: ExpectedVerdict
  /// The challenge that was signed, base64url as the server sent it.
  public let challenge: String
  /// Of the keys that the registration named as lost, those that the server says it has removed.
  public var forgottenKeyIDs: [KeyID] = []
  /// The machine's new secret; nil if the server sent none.
  public var machineSecret: MachineSecret?
  /// The number of the server's latest notice; it is not signed.
  ///
  /// If it differs from the last one, a joined machine should check in.
  public var machineNews: Int64?

  /// The operation that was accepted.
  public var operation: UAFOperation { expected.operation }

  /// The token that is passed on to the host.
  public var token: String? { Token.passedOn(tokens) }

  /// The same acceptance without its tokens.
  var withoutTokens: Acceptance {
    var acceptance = self
    acceptance.tokens = []
    return acceptance
  }

  /// The number of tokens, without their content.
  public var description: String { "accepted with \(tokens.count) tokens" }
}

/// What the core did; a success of the server must be about this.
///
/// Each member is compared with the claims of a signed verdict. Other vendors' servers state no purpose in their challenges,
/// and fewer claims in their verdicts.
public struct ExpectedVerdict: Equatable, Sendable {
  /// The operation.
  public let operation: UAFOperation
  /// The purpose of the challenge; nil for another vendor's server.
  public let purpose: ChallengePurpose?
  /// The keys that signed, were registered, or are to be removed.
  public let keyIDs: [KeyID]
  /// SHA-256 of the text that was confirmed, as it was shown; nil if there was none.
  public let textHash: [UInt8]?
  /// The machine's ID, if the verdict is about this machine's keys; nil if no ID was sent.
  public let deviceID: String?

  /// Makes an expectation.
  public init(
    _ operation: UAFOperation, for purpose: ChallengePurpose?, keyIDs: [KeyID], textHash: [UInt8]? = nil,
    deviceID: String? = nil
  ) {
    self.operation = operation
    self.purpose = purpose
    self.keyIDs = keyIDs
    self.textHash = textHash
    self.deviceID = deviceID
  }

  /// The operations that the verdict's token may authorise; it must not authorise others.
  var use: [UAFOperation] {
    guard operation == .authentication, let authorized = purpose?.authorizedOperation else { return [] }
    return [authorized]
  }
}

/// The server's decision on a response that it did not refuse.
public enum Verdict: Equatable, Sendable {
  /// The server accepts the response.
  case accepted(Acceptance)
  /// The server demands a further authentication (step-up); it has not granted anything yet.
  case furtherRequest
}
