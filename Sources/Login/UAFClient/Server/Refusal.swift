import FidoResults
import UAFMessages

/// Why an operation failed: the server refused, a message could not be understood, or no answer arrived.
///
/// Every step of a flow throws this and nothing else; the flow is then over.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The result, as in the table of results.
  public let result: FidoResult

  /// Whether the result comes from what the server said or sent, not from something that this machine found.
  public let spokenByServer: Bool

  /// Whether the server must not be reported as unreachable: a TLS handshake was completed in this flow, a host answered at the
  /// server's address, or this machine was not able to send a request at all.
  public let handshakeCompleted: Bool

  /// The server's text, cleaned for display; nil if it sent none.
  public let serverText: String?

  /// The server's UAF status, if it gave one.
  public let serverStatus: UInt32?

  /// Why no answer arrived; nil if one did.
  public let networkFailure: NetworkFailure?

  /// The HTTP status, if the answer was not a UAF message.
  public let httpStatus: Int?

  /// Whether a server of the plain dialect refused: the success member of its answer did not have the configured value.
  public let saysPlainNo: Bool

  /// The cause, if the text for the person should say more than that of the result.
  public let cause: EndCause?

  /// The highest counter of the key that the server has seen; nil unless the server refused because the counter did not grow,
  /// and tells which one it has.
  public internal(set) var seenCounter: SeenCounter?

  /// The authenticators whose keys the server does not know, as its request shows.
  public internal(set) var leftOut: [AAID] = []

  /// What failed, for the log; it contains names and numbers, never secrets.
  public let detail: String

  /// Whether the server answered with a refusal, or with something that could not be understood.
  ///
  /// An invalid certificate does not count as an answer, nor does a server that sends nothing.
  public var isServersNo: Bool {
    spokenByServer || handshakeCompleted && networkFailure == nil && result != .channelBinding
  }

  /// The result and the detail.
  public var description: String { "\(result): \(detail)" }

  init(
    _ result: FidoResult, spokenByServer: Bool, handshakeCompleted: Bool, serverText: String? = nil,
    serverStatus: UInt32? = nil, networkFailure: NetworkFailure? = nil, httpStatus: Int? = nil,
    saysPlainNo: Bool = false, cause: EndCause? = nil, detail: String
  ) {
    // An authenticator may report any result. A refusal must not carry that of a success.
    self.result = Self.successes.contains(result) ? .unknown : result
    self.spokenByServer = spokenByServer
    self.handshakeCompleted = handshakeCompleted
    self.serverText = serverText
    self.serverStatus = serverStatus
    self.networkFailure = networkFailure
    self.httpStatus = httpStatus
    self.saysPlainNo = saysPlainNo
    self.cause = cause
    self.detail = detail
  }

  private static let successes: [FidoResult] = [.success, .ready, .resetSuccess, .changeSuccess]

  /// The refusal for a request to which no answer arrived.
  init(_ failure: TransportFailure, handshakeCompleted: Bool) {
    let (result, network, reached): (FidoResult, NetworkFailure?, Bool) =
      switch failure {
      case .noHandshake(let reason): (.noAnswer, reason, false)
      case .afterHandshake(let reason), .withoutHandshake(let reason): (.noAnswer, reason, true)
      case .ownMeans: (.noAnswer, .ownMeans, true)
      case .certificateRefused: (.channelBinding, nil, true)
      case .answerTooLarge: (.jsonParser, nil, true)
      case .requestNotAcceptable: (.invalidParameter, nil, false)
      case .unavailable: (.clientMismatch, nil, false)
      }
    self.init(
      result, spokenByServer: failure == .answerTooLarge, handshakeCompleted: handshakeCompleted || reached,
      networkFailure: network, detail: failure.description)
  }
}
