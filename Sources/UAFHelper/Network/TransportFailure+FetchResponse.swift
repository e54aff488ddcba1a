import FidoResults
import UAFClient
import UAFWire

extension TransportFailure {
  /// What an outcome without an answer means; nil for an answer.
  init?(_ response: FetchResponse) {
    let reason: NetworkFailure
    switch response.outcome {
    case .answered: return nil
    case .certificateRefused:
      self = .certificateRefused
      return
    case .tooLarge:
      self = .answerTooLarge
      return
    case .unacceptableRequest:
      self = .requestNotAcceptable
      return
    case .nameNotResolved: reason = .dns
    case .refused: reason = .refused
    case .connectionLost, .other: reason = .connectionLost
    case .timedOut: reason = .timeOut
    case .tlsFailed: reason = .tls
    }
    self = response.handshakeCompleted ? .afterHandshake(reason) : .noHandshake(reason)
  }
}
