import UAFClient
import UAFConfiguration
import UAFWire

/// The way to the server for questions of doctor, with the settings of the core; what came back is kept.
final class ServerLine: Transport {
  private let server: ServerSettings
  private let authorities: String?
  private let exchange: (FetchRequest) -> FetchAnswer?
  private var begun: TransportRequest?
  /// What the questions were answered with, in their order; nil where uaf-fetch did not do its work.
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

  /// The reasons are read from ``answers``, so that any failure will do here.
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
