import FidoResults
import UAFClient
import UAFWire

extension TransportFailure {
  /// What an outcome without an answer means; nil for an answer.
  init?(_ response: FetchResponse) {
    switch response.outcome {
    case .answered: return nil
    case .certificateRefused: self = .certificateRefused
    case .tooLarge: self = .answerTooLarge
    case .unacceptableRequest: self = .requestNotAcceptable
    case .ownMeans: self = .ownMeans
    // The four that tell of a server that is away, unless it was reached before.
    case .nameNotResolved: self = Self.away(.dns, response)
    case .refused: self = Self.away(.refused, response)
    case .unreachable: self = Self.away(.unreachable, response)
    case .timedOut: self = Self.away(.timeOut, response)
    case .stalled: self = Self.reached(.timeOut, response)
    case .proxyRefused: self = Self.reached(.proxy, response)
    case .tlsFailed: self = Self.reached(.tls, response)
    case .connectionLost, .other: self = Self.reached(.connectionLost, response)
    }
  }

  private static func away(_ reason: NetworkFailure, _ response: FetchResponse) -> TransportFailure {
    response.handshakeCompleted ? .afterHandshake(reason) : .noHandshake(reason)
  }

  private static func reached(_ reason: NetworkFailure, _ response: FetchResponse) -> TransportFailure {
    response.handshakeCompleted ? .afterHandshake(reason) : .withoutHandshake(reason)
  }
}
