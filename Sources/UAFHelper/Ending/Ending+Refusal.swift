import Authenticator
import FidoResults
import UAFClient
import UAFMessages

extension Ending {
  /// The end of a flow with the server.
  init(_ refusal: Refusal) {
    self.init(refusal.result, text: Self.text(of: refusal), log: refusal.detail)
    handshakeCompleted = refusal.handshakeCompleted
    isServers = refusal.spokenByServer
    forgottenTypes = AuthenticatorType.all(named: refusal.leftOut)
    isServersNo = refusal.isServersNo
  }

  /// The end of an exchange in which the server had an enrolment code to judge.
  init(judgingCode refusal: Refusal) {
    self.init(refusal)
    let isCodeRefused =
      refusal.result == .serverNoRegistration || refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    if isCodeRefused { (result, text) = (.serverNoRegistration, .cause(.codeRefused)) }
  }

  /// What the person is told of a refusal; nil where the result's own text says it.
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
    // 429, and the gateway's statuses, say that it is busy or away for a while.
    guard let http = refusal.httpStatus, (500...599).contains(http), ![502, 503, 504].contains(http) else { return nil }
    return .serverFailed
  }
}
