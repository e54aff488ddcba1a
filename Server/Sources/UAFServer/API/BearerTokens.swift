import UAFAdministration
import UAFService
import WebMessages

/// Finds the callers of requests by their tokens, and limits their requests.
struct BearerTokens: Sendable {
  private let environment: AdministrationEnvironment
  private let proxies: TrustedProxies
  private let asked: RateLimiter
  private let wrong: RateLimiter

  /// - Parameters:
  ///   - rate: the most requests with one token in a minute, on average; twice as many in a burst.
  ///   - wrongRate: the same for wrong tokens from one address.
  init(_ environment: AdministrationEnvironment, proxies: TrustedProxies, rate: Int64, wrongRate: Int64) {
    self.environment = environment
    self.proxies = proxies
    asked = RateLimiter(.init(perMinute: rate))
    wrong = RateLimiter(.init(perMinute: wrongRate))
  }

  /// Finds the caller by the token in the request.
  ///
  /// A valid token is accepted even if its address has sent too many wrong ones.
  ///
  /// - Throws: ``Problem``; ``AdministrationRefusal/auditUnsigned``; ``StoreFailure``.
  func caller(of request: WebRequest) async throws -> Caller {
    let address = proxies.client(of: request.headers, from: request.peer)
    let name = address.flatMap(Admission.name) ?? ""
    let authorizations = request.headers["Authorization"]
    guard authorizations.count <= 1 else {
      throw Problem(.badRequest, "two-tokens", "the request has more than one Authorization header")
    }
    let bytes = address?.ipBytes
    guard let header = authorizations.first, let text = Self.token(header),
      let caller = try await TokenCheck(environment).caller(
        of: text, address: address?.ipAddress ?? "",
        isWithin: { ranges in
          guard let bytes else { return false }
          return ranges.contains { AddressRange(argument: $0)?.contains(bytes) == true }
        })
    else {
      guard authorizations.isEmpty || wrong.admits(name, now: environment.now()) else {
        throw Problem(.tooManyRequests, "too-many-wrong-tokens", "too many wrong tokens from this address")
      }
      throw Problem(.unauthorized, "no-token", "the request has no token that is valid from this address")
    }
    guard asked.admits(caller.actor.text, now: environment.now()) else {
      throw Problem(.tooManyRequests, "too-many", "too many requests with this token")
    }
    // While the audit is unsigned, a token may only read. Root and the server's own user need no token and are not restricted:
    // they could write to the store directly.
    if request.method != .GET { try environment.requireSignedAudit() }
    return caller
  }

  /// The token of a header `Bearer TOKEN` (RFC 6750, section 2.1).
  private static func token(_ header: String) -> String? {
    let parts = header.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
