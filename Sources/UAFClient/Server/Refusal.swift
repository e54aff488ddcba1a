import FidoResults
import UAFMessages

/// Why an operation ended without success: the server's no, a message nobody can follow, or no answer.
///
/// Every step of a flow throws this and nothing else; after it the flow is over.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The outcome, a row of the table of results.
  public let result: FidoResult

  /// Whether the outcome is what the server said or sent, rather than what was found here.
  public let spokenByServer: Bool

  /// Whether the server must not be reported as away: a TLS handshake was completed in this flow, a machine answered at its
  /// address, or this machine lacked the means to ask.
  public let handshakeCompleted: Bool

  /// The server's words, cleaned for display; nil if it had none.
  public let serverText: String?

  /// The server's UAF status, if it gave one.
  public let serverStatus: UInt32?

  /// What kept the answer away, if there was none.
  public let networkFailure: NetworkFailure?

  /// The HTTP status, where what came was no UAF message.
  public let httpStatus: Int?

  /// Whether a server of the plain dialect said no by another value of the mark that root named for its yes.
  public let saysPlainNo: Bool

  /// Why, where the person is to be told more than the result says.
  public let cause: EndCause?

  /// How far the server has seen the key count, where it refused a counter that did not grow, and says so.
  public internal(set) var seenCounter: SeenCounter?

  /// Those of the authenticators whose keys the server does not know, by its request.
  public internal(set) var leftOut: [AAID] = []

  /// What failed, for the log; holds names and numbers, never values.
  public let detail: String

  /// Whether the server answered, and that was no yes: its no, or something that nobody here could answer.
  ///
  /// A certificate that does not hold is nobody's answer, and neither is silence.
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
    // Whoever maps results to PAM codes must not find a yes inside a no, whatever an authenticator reports.
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

  /// Nothing came back.
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
