import HTTPTypes
import Hummingbird
import NIOCore

/// What proxies and service managers ask: whether the process answers, and whether it can serve.
///
/// Anybody may ask as often as they like. No limit counts it, so that nobody uses up the turns of a proxy's checks, and the store
/// is not asked for it. The answer is one word.
struct HealthRoutes: Sendable {
  let watch: StoreWatch

  func add(to router: Router<UAFRequestContext>) {
    router.get("/livez") { _, _ in Self.answer(.ok, "ok") }
    router.get("/readyz") { _, _ in watch.isReady ? Self.answer(.ok, "ok") : Self.answer(.serviceUnavailable, "store") }
  }

  private static func answer(_ status: HTTPResponse.Status, _ word: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: word + "\n")))
  }
}
