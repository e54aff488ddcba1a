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
      guard let claims = SignedToken.claims(of: token.value, publicKeys: publicKeys) else { continue }
      guard isFor(acceptance, claims) else {
        fault = .otherLogin
        continue
      }
      if SignedToken.isFresh(claims, now: now) { return covered(acceptance, by: claims) }
      fault = .stale
    }
    throw fault
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
}
