import NIOCore
import UAFMessages
import UAFService
import WebMessages

/// Stops requests by a status of HTTP, where UAF has none that says "try again later", and tells the log.
struct RequestStops: Sendable {
  let log: RequestLog
  /// Seconds since 1970.
  let now: @Sendable () -> Int64

  /// Status 429: a limit has stopped it.
  func tooMany(
    _ limit: Limit, _ route: UAFRoute, _ operation: UAFOperation?, from address: SocketAddress?,
    for account: String? = nil
  ) -> WebRefusal {
    let name = limit == .account ? account : address.flatMap(Admission.name)
    log.limited(limit, name, route, operation, from: address, now: now())
    return WebRefusal(WebAnswer(status: .tooManyRequests, fields: [("Retry-After", "60")]))
  }

  /// Status 503: the store is away.
  func away(_ error: any StoreFailure, _ route: UAFRoute, _ operation: UAFOperation?) -> WebRefusal {
    log.failed(error, route, operation)
    return WebRefusal(WebAnswer(status: .serviceUnavailable, fields: [("Retry-After", "5")]))
  }
}
