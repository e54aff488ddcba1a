import UAFCrypto
import UAFMessages

/// A signed verdict: a JSON web token (RFC 7519, ES256) that names account, operation, challenge and time.
///
/// Not even the program that speaks to the network can forge it.
public struct SignedVerdict: Sendable {
  /// Why a verdict is not accepted.
  public enum Fault: String, Error, Sendable {
    case missing = "the server's yes came without a token that is signed with verdict_key"
    case otherLogin = "the signed token is for another account, operation or challenge"
    case stale = "the signed token is too old or from the future; compare the clocks of this machine and the server"
  }

  /// Seconds the two clocks may differ.
  public static let clockTolerance: Int64 = 60
  /// The longest lifetime of a token, in seconds.
  ///
  /// One of a longer lifetime could be replayed.
  public static let maximumLifetime: Int64 = 300

  private static let maximumBytes = 8192

  /// Finds a token of this acceptance that the owner of one of the keys signed for it.
  ///
  /// - Parameters:
  ///   - publicKeys: 65 bytes `04 | X | Y` each; several while the server exchanges its key.
  ///   - now: seconds since 1970.
  /// - Returns: the acceptance, without a machine's secret that the token does not cover.
  /// - Throws: ``Fault``: the one of the token that came closest.
  @discardableResult
  public static func check(_ acceptance: Acceptance, publicKeys: [[UInt8]], now: Int64) throws(Fault) -> Acceptance {
    var fault = Fault.missing
    for token in acceptance.tokens where token.type == Token.jwt {
      guard let claims = claims(of: token.value, publicKeys: publicKeys) else { continue }
      guard isFor(acceptance, claims) else {
        fault = .otherLogin
        continue
      }
      if isFresh(claims, now: now) { return covered(acceptance, by: claims) }
      fault = .stale
    }
    throw fault
  }

  /// The claims of a token whose signature holds.
  private static func claims(of token: String, publicKeys: [[UInt8]]) -> JSONObject? {
    guard token.utf8.count <= maximumBytes else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, case .object(let header)? = json(parts[0]),
      // The algorithm is fixed here, and the token does not choose it. A token with critical extensions is refused.
      header["alg"] == .string("ES256"), header["crit"] == nil, header["b64"] == nil,
      let signature = try? Base64URL.decode(parts[2], maximumCount: P256.signatureByteCount),
      // `kid` in the header is not read: nothing that a token says of itself chooses a key.
      publicKeys.contains(where: { key in
        P256.isValidSignature(signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: key)
      }),
      case .object(let claims)? = json(parts[1])
    else { return nil }
    return claims
  }

  private static func json(_ part: String) -> JSONValue? {
    guard let bytes = try? Base64URL.decode(part, maximumCount: maximumBytes) else { return nil }
    return try? JSONValue(parsing: bytes)
  }

  private static func isFor(_ acceptance: Acceptance, _ claims: JSONObject) -> Bool {
    guard case .string(let subject)? = claims["sub"], case .string(let operation)? = claims["op"],
      case .string(let challenge)? = claims["challenge"],
      let bytes = try? Base64URL.decode(acceptance.challenge, maximumCount: 64),
      let hash = try? SHA256.hash(bytes)
    else { return false }
    return subject.isIdentical(to: acceptance.username)
      && operation.isIdentical(to: acceptance.operation.rawValue)
      && challenge.isIdentical(to: Base64URL.encode(hash))
  }

  private static func covered(_ acceptance: Acceptance, by claims: JSONObject) -> Acceptance {
    guard let secret = acceptance.machineSecret else { return acceptance }
    if case .string(let told)? = claims["machine"], let hash = try? SHA256.hash(secret.bytes),
      told.isIdentical(to: Base64URL.encode(hash))
    {
      return acceptance
    }
    var acceptance = acceptance
    acceptance.machineSecret = nil
    return acceptance
  }

  private static func isFresh(_ claims: JSONObject, now: Int64) -> Bool {
    guard case .integer(let issuedAt)? = claims["iat"], case .integer(let expiresAt)? = claims["exp"] else {
      return false
    }
    let (lifetime, tooLong) = expiresAt.subtractingReportingOverflow(issuedAt)
    guard !tooLong, (0...maximumLifetime).contains(lifetime) else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(issuedAt)
    return !overflow && age >= -clockTolerance && age <= lifetime + clockTolerance
  }
}
