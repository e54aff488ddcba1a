import UAFClient
import UAFConfiguration
import UAFWire

/// One origin of the server's addresses: it must be reachable, with a valid certificate and the right time.
struct OriginCheck {
  let server: ServerSettings
  /// Scheme, host and port.
  let origin: String
  let host: String
  /// Seconds since 1970, by this machine.
  let now: Int
  let line: ServerLine

  /// How many seconds clocks may differ: a signed success allows for that much.
  private static let tolerance = 60

  func findings(_ answer: FetchAnswer) -> [Finding] {
    let response = answer.response
    let sandbox = response.missing.map { Finding.warning(.kernelFetch, ServerText.sandbox(missing: $0)) }
    guard response.outcome == .answered else { return [failure(response)] + [sandbox].compactMap(\.self) }
    return [certificate(response), clock(response), sandbox].compactMap(\.self)
  }

  private func failure(_ response: FetchResponse) -> Finding {
    if response.outcome == .certificateRefused { return .failure(.serverCertificate, certificateFault(response)) }
    let silence = ServerSilence(response.outcome, detail: response.detail)
    if let proxy = server.proxy?.text, response.outcome == .proxyRefused {
      return .failure(.serverProxy, ServerText.proxyRefuses(origin, proxy: proxy, detail: response.detail))
    }
    if let proxy = server.proxy?.text, Self.isOnTheWay(response.outcome) {
      return .failure(.serverProxy, ServerText.proxy(origin, proxy: proxy, silence))
    }
    return .failure(.serverUnreachable, ServerText.unreachable(origin, silence))
  }

  /// Whether a proxy may have failed rather than the server.
  private static func isOnTheWay(_ outcome: FetchOutcome) -> Bool {
    switch outcome {
    case .nameNotResolved, .refused, .unreachable, .timedOut, .connectionLost, .stalled, .other: true
    default: false
    }
  }

  private func certificate(_ response: FetchResponse) -> Finding {
    guard server.verifiesTLS else { return .ok(ServerText.unverified(origin, status: response.status)) }
    let check = CertificateCheck(certificate: response.certificate ?? [], host: host, now: now)
    guard let days = check.daysLeft else { return .ok(ServerText.verified(origin, status: response.status)) }
    return check.endsSoon
      ? .warning(.certificateEnds, ServerText.certificateEnds(origin, days: days))
      : .ok(ServerText.trusted(origin, status: response.status, days: days))
  }

  /// Fetches the certificate again without verifying it: that server gets nothing but a GET.
  private func certificateFault(_ response: FetchResponse) -> ServerText {
    let again = line.ask(.get(origin + "/", accept: "*/*"), isVerified: false)
    let certificate = response.certificate ?? again?.response.certificate ?? []
    let fault = CertificateCheck(certificate: certificate, host: host, now: now).fault ?? .issuer
    return .certificate(origin, host: host, fault, ca: server.certificateAuthorityFile, detail: response.detail)
  }

  private func clock(_ response: FetchResponse) -> Finding? {
    guard let date = response.date.map(Int.init) else { return nil }
    let ahead = now - date
    guard abs(ahead) > Self.tolerance else { return .ok(ServerText.clock(origin)) }
    let text = ServerText.clocksApart(origin, seconds: ahead, isFatal: server.requiresSignedVerdict)
    return server.requiresSignedVerdict ? .failure(.clockServer, text) : .warning(.clockServer, text)
  }
}
