import NIOHTTP1

/// What proxies and service managers ask: whether the process answers, and whether it can serve.
///
/// Anybody may ask as often as they like. No limit counts it, so that nobody uses up the turns of a proxy's checks, and the store
/// is not asked for it. The answer is one word.
struct HealthRoutes: Sendable {
  let watch: StoreWatch

  var isAlive: WebAnswer { Self.answer(.ok, "ok") }

  var isReady: WebAnswer { watch.isReady ? Self.answer(.ok, "ok") : Self.answer(.serviceUnavailable, "store") }

  private static func answer(_ status: HTTPResponseStatus, _ word: String) -> WebAnswer {
    WebAnswer(
      status: status, fields: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
      body: Array("\(word)\n".utf8))
  }
}
