import Logging
import NIOHTTP1
import UAFAdministration
import UAFConsole
import UAFService
import WebMessages

/// Answers the requests of the console.
struct ConsoleResponder: Sendable {
  /// Sign-ins that an address may ask for in a minute; twice as many at once.
  private static let signInRate: Int64 = 10
  /// Requests without a session of an address in a minute; twice as many at once.
  private static let strangerRate: Int64 = 120

  private let console: Console
  private let proxies: TrustedProxies

  init(
    _ service: ServiceEnvironment, _ administration: AdministrationEnvironment, facts: ServerFacts,
    proxies: TrustedProxies, logger: Logger
  ) {
    let signIns = RateLimiter(.init(perMinute: Self.signInRate))
    let strangers = RateLimiter(.init(perMinute: Self.strangerRate))
    console = Console(
      ConsoleEnvironment(
        administration: administration, keys: service.keys, publicURL: { try service.identity().publicURL },
        admitsSignIn: { signIns.admits($0, now: service.now()) },
        admitsStranger: { strangers.admits($0, now: service.now()) }, timeText: { SecondText.iso8601.text(at: $0) },
        readTime: { TypedTime(argument: $0)?.seconds },
        version: ServerVersion.current, facts: facts,
        report: { error in
          logger.error(
            "failed",
            metadata: ["by": "console", "error": "\((error as? any StoreFailure)?.logName ?? "\(type(of: error))")"])
        }))
    self.proxies = proxies
  }

  /// How many bytes the body of a request may have: more than elsewhere where a list is sent.
  static func maximumBody(_ method: HTTPMethod, _ path: String) -> Int {
    method == .POST && UploadLimit.paths.contains(path) ? UploadLimit.form : RequestBody.maximum
  }

  @Sendable func answer(to request: WebRequest) async -> WebAnswer {
    let limit = Self.maximumBody(request.method, request.path)
    guard !RequestBody.announcesTooMuch(request.fields, limit: limit), request.body.readableBytes <= limit else {
      return WebAnswer(status: .payloadTooLarge, isLast: true)
    }
    let address = proxies.client(of: request.fields, from: request.peer)
    return await console.answer(
      request, from: address?.ipAddress ?? "", countedAs: address.flatMap(Admission.name) ?? "")
  }
}
