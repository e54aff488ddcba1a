import UAFCrypto
import UAFMessages

/// A signed verdict: a JSON web token (RFC 7519, ES256) that names what was accepted: account, operation, challenge, purpose,
/// keys, text, machine and time.
///
/// Not even the program that speaks to the network can forge it, or use one that was signed for something else.
public struct SignedVerdict: Sendable {
  /// Why a verdict is not accepted.
  public enum Fault: String, Error, Sendable {
    case missing = "the server's yes came without a token that is signed with verdict_key"
    case otherLogin = "the signed token is for another account, operation or challenge"
    case otherPurpose = "attack: the signed token is for another purpose than asked for"
    case widerUse = "attack: the signed token authorises more than was asked for"
    case otherKeys = "attack: the signed token is for other keys than those that signed, were made or had to go"
    case otherText = "attack: the signed token is for another text than the one that was confirmed"
    case otherMachine = "attack: the signed token is for another machine"
    case stale = "the signed token is too old or from the future; compare the clocks of this machine and the server"
  }

  /// Finds a token of this acceptance that the owner of one of the keys signed for it.
  ///
  /// - Parameters:
  ///   - publicKeys: 65 bytes `04 | X | Y` each; several while the server exchanges its key.
  ///   - now: seconds since 1970.
  /// - Returns: the acceptance, without a machine's secret that the token does not cover.
  /// - Throws: ``Fault``: the one of the token that came closest.
  @discardableResult
  public static func check(_ acceptance: Acceptance, publicKeys: [[UInt8]], now: Int64) throws(Fault) -> Acceptance {
    guard let bytes = try? Base64URL.decode(acceptance.challenge, maximumCount: 64),
      let hash = try? SHA256.hash(bytes)
    else { throw .otherLogin }
    let claims = try claims(
      among: acceptance.tokens, publicKeys, now, for: acceptance.username, acceptance.expected, over: hash)
    return covered(acceptance, by: claims)
  }

  /// Finds a token by which the owner of one of the keys says that the keys of an order are gone at the server.
  ///
  /// - Parameters: as of ``check(_:publicKeys:now:)-(Acceptance,_,_)``.
  /// - Throws: ``Fault``.
  public static func check(_ order: DeregistrationOrder, publicKeys: [[UInt8]], now: Int64) throws(Fault) {
    guard let hash = try? SHA256.hash(order.message) else { throw .otherLogin }
    let expected = ExpectedVerdict(.deregistration, for: .removal, keyIDs: order.askedKeyIDs, deviceID: order.deviceID)
    _ = try claims(among: order.tokens, publicKeys, now, for: order.username, expected, over: hash)
  }

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

  /// In what the claims differ from what was done here; nil if they do not.
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

  /// Of keys that were to be removed the server names those that it had.
  private static func hasKeys(_ claims: JSONObject, of expected: ExpectedVerdict) -> Bool {
    guard case .array(let named)? = claims["keys"] else { return false }
    let told = Set(named.compactMap { value in if case .string(let text) = value { text } else { nil } })
    let done = Set(expected.keyIDs.map(\.text))
    guard told.count == named.count else { return false }
    return expected.operation == .deregistration ? done.isEmpty || told.isSubset(of: done) : told == done
  }

  /// Whether both are the same bytes, or neither is there.
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
