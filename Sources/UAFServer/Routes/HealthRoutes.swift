import NIOHTTP1
import UAFService
import WebMessages

/// What proxies and service managers ask: whether the process answers, and whether it can serve.
///
/// Anybody may ask as often as they like. No limit counts it, so that nobody uses up the turns of a proxy's checks, and the store
/// is not asked for it. The answer is one word, or two.
struct HealthRoutes: Sendable {
  let watch: StoreWatch
  /// Throws if no policy can be used.
  let policies: @Sendable () throws -> AccountPolicies
  /// For how long the audit has been unsigned.
  var standing = AuditStanding()
  /// Seconds since 1970.
  var now: @Sendable () -> Int64 = { 0 }

  var isAlive: WebAnswer { Self.answer(.ok, "ok") }

  var isReady: WebAnswer {
    guard watch.isReady else { return Self.answer(.serviceUnavailable, "store") }
    guard (try? policies()) != nil else { return Self.answer(.serviceUnavailable, "policy") }
    // Logins go on without it, so a proxy must go on sending them here.
    return Self.answer(.ok, standing.isOverdue(at: now()) ? "ok audit-unsigned" : "ok")
  }

  private static func answer(_ status: HTTPResponseStatus, _ word: String) -> WebAnswer {
    WebAnswer(
      status: status, fields: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
      body: Array("\(word)\n".utf8))
  }
}
