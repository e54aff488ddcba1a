import Authenticator
import FidoResults
import UAFClient
import UAFMessages

extension Ending {
  /// The end of a flow with the server.
  init(_ refusal: Refusal) { self.init(refusal, refusal.result, text: Self.text(of: refusal)) }

  /// The end of an exchange in which the server had an enrolment code to judge.
  ///
  /// - Parameter result: the result for a refusal of the server; nil for the result that the refusal itself has.
  init(judgingCode refusal: Refusal, serversNo result: FidoResult? = nil) {
    let isCodeRefused =
      refusal.result == .serverNoRegistration || refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    let own = isCodeRefused ? FidoResult.serverNoRegistration : refusal.result
    self.init(
      refusal, refusal.spokenByServer ? result ?? own : own,
      text: isCodeRefused ? .cause(.codeRefused) : Self.text(of: refusal))
  }

  private init(_ refusal: Refusal, _ result: FidoResult, text: PromptText?) {
    let server = ServerPart(
      handshakeCompleted: refusal.handshakeCompleted, hasSpoken: refusal.spokenByServer,
      hasRefused: refusal.isServersNo, forgottenTypes: AuthenticatorType.all(named: refusal.leftOut))
    self.init(result, text: text, log: refusal.detail, server: server)
  }

  /// The text about a refusal for the person; nil where the result's own text says it.
  private static func text(of refusal: Refusal) -> PromptText? {
    if let failure = refusal.networkFailure { return .noAnswer(failure) }
    let status = refusal.serverStatus.map(UAFStatusCode.init(rawValue:))
    if status == .revokedAuthenticator { return .revoked(said: refusal.serverText) }
    if refusal.spokenByServer, refusal.serverText != nil || refusal.saysPlainNo {
      return .refusedByServer(refusal.serverText)
    }
    if let cause = refusal.cause { return .cause(cause) }
    if refusal.spokenByServer, refusal.result == .invalidParameter {
      return .cause(refusal.serverStatus == nil ? .messageNotValid : .messageNotAccepted)
    }
    switch status {
    case .forbidden: return .serverForbids
    case .accepted: return .serverUndecided
    case .internalServerError: return .serverFailed
    case .some(let status) where refusal.result == .unknown: return .serverStatus(Int(status.rawValue))
    default: break
    }
    // 429 and a gateway's statuses (502 to 504) mean that the server is busy or away for a while.
    guard let http = refusal.httpStatus, (500...599).contains(http), ![502, 503, 504].contains(http) else { return nil }
    return .serverFailed
  }
}
