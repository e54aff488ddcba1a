import UAFClient
import UAFConfiguration
import UAFWire

/// The transport for doctor's questions to the server, with the settings of the core; it keeps the answers.
final class ServerLine: Transport {
  private let server: ServerSettings
  private let authorities: String?
  private let exchange: (FetchRequest) -> FetchAnswer?
  private var begun: TransportRequest?
  /// The answers, in the order of the questions; nil where uaf-fetch failed.
  private(set) var answers: [FetchAnswer?] = []

  // Long enough for any server that logins could wait for.
  private static let longestMilliseconds: UInt32 = 10_000

  /// - Parameter authorities: the text of `ca_file`; nil without one.
  init(_ server: ServerSettings, authorities: String?, exchange: @escaping (FetchRequest) -> FetchAnswer?) {
    self.server = server
    self.authorities = authorities
    self.exchange = exchange
  }

  /// Asks, and keeps the answer.
  ///
  /// - Parameter isVerified: whether the certificate has to hold, where the configuration wants that.
  @discardableResult
  func ask(_ question: TransportRequest, isVerified: Bool = true) -> FetchAnswer? {
    let timeout = UInt32(clamping: server.timeout.components.seconds * 1000)
    var request = FetchRequest(
      question.method == .get ? .get : .post, url: question.url,
      timeoutMilliseconds: max(1, min(timeout, Self.longestMilliseconds)))
    request.contentType = question.contentType
    request.accept = question.accept
    if question.method == .post { request.body = question.body }
    request.certificateAuthorities = authorities
    request.proxy = server.proxy?.text
    if !server.verifiesTLS || !isVerified { request.skipsVerification = true }
    let answer = exchange(request)
    answers.append(answer)
    return answer
  }

  func begin(_ request: TransportRequest) throws(TransportFailure) { begun = request }

  /// The reasons are in ``answers``, so any failure can be thrown here.
  func finish() throws(TransportFailure) -> TransportResponse {
    guard let question = begun, let answer = ask(question), answer.response.outcome == .answered else {
      throw .unavailable
    }
    let response = answer.response
    return TransportResponse(
      status: Int(response.status), contentType: response.contentType ?? "", body: answer.body,
      serverCertificate: response.certificate ?? [],
      redirect: response.redirect.map { Redirect(url: $0.url, isAuthorized: $0.isAuthorized) })
  }
}
