import FidoResults
import UAFMessages

/// What one flow has seen of the server so far, and how a failure becomes a ``Refusal``.
struct ServerLink: Sendable {
  /// Whether a TLS handshake was completed since the flow began.
  private(set) var handshakeCompleted = false

  /// The certificate of the last answer that came with one.
  private(set) var certificate: [UInt8] = []

  mutating func begin<Wire: Transport & ~Copyable>(
    _ request: TransportRequest, over transport: inout Wire
  ) throws(Refusal) {
    do {
      try transport.begin(request)
    } catch {
      throw noAnswer(error)
    }
  }

  mutating func finish<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> TransportResponse {
    do throws(TransportFailure) {
      return try taken(over: &transport)
    } catch {
      throw noAnswer(error)
    }
  }

  private mutating func taken<Wire: Transport & ~Copyable>(
    over transport: inout Wire
  ) throws(TransportFailure) -> TransportResponse {
    let response = try transport.finish()
    handshakeCompleted = true
    if !response.serverCertificate.isEmpty { certificate = response.serverCertificate }
    return response
  }

  /// How often a question is asked whose connection is closed before an answer comes.
  private static let mostQuestions = 4

  /// The same for a question that may be asked again: it is, where the server closed the connection before it answered.
  ///
  /// A server that has too many connections closes some, and strangers can bring it to that.
  mutating func finish<Wire: Transport & ~Copyable>(
    repeating question: TransportRequest, over transport: inout Wire
  ) throws(Refusal) -> TransportResponse {
    for _ in 1..<Self.mostQuestions {
      if let response = try finish(orAskAgain: question, over: &transport) { return response }
    }
    return try finish(over: &transport)
  }

  /// The answer to a question that may be asked again.
  ///
  /// - Returns: nil where the server closed the connection before it answered: the question was sent again.
  mutating func finish<Wire: Transport & ~Copyable>(
    orAskAgain question: TransportRequest, over transport: inout Wire
  ) throws(Refusal) -> TransportResponse? {
    do throws(TransportFailure) {
      return try taken(over: &transport)
    } catch {
      guard error == .afterHandshake(.connectionLost) else { throw noAnswer(error) }
      handshakeCompleted = true
    }
    try begin(question, over: &transport)
    return nil
  }

  /// No answer came.
  mutating func noAnswer(_ failure: TransportFailure) -> Refusal {
    let refusal = Refusal(failure, handshakeCompleted: handshakeCompleted)
    handshakeCompleted = refusal.handshakeCompleted
    return refusal
  }

  // MARK: Refusals

  /// What was found here, before or beside the server.
  func refusal(_ result: FidoResult, _ detail: String, because cause: EndCause? = nil) -> Refusal {
    Refusal(result, spokenByServer: false, handshakeCompleted: handshakeCompleted, cause: cause, detail: detail)
  }

  /// The server's message is not acceptable.
  func refusal(ofServer result: FidoResult, _ detail: String, because cause: EndCause? = nil) -> Refusal {
    Refusal(result, spokenByServer: true, handshakeCompleted: handshakeCompleted, cause: cause, detail: detail)
  }

  /// A server of the plain dialect refused: its mark of success had another value.
  func refusal(plainNo value: String, of member: String) -> Refusal {
    Refusal(
      .unknown, spokenByServer: true, handshakeCompleted: handshakeCompleted, saysPlainNo: true,
      detail: "the server said no: its '\(member)' is '\(Text.cleaned(value))'")
  }

  /// The server said no.
  func refusal(status: UAFStatusCode, text: String?, operation: UAFOperation) -> Refusal {
    let result: FidoResult =
      status.rawValue >= FidoResult.firstServerCode
      ? FidoResult(code: status.rawValue)
      : FidoResult(uafStatus: Int(status.rawValue), deregistering: operation == .deregistration)
    let words = text.map { Text.cleaned($0) } ?? ""
    return Refusal(
      result, spokenByServer: true, handshakeCompleted: handshakeCompleted, serverText: words.isEmpty ? nil : words,
      serverStatus: status.rawValue, detail: "the server answered with status \(status.rawValue)")
  }

  /// A message of the server could not be followed.
  func refusal(_ error: MessageError) -> Refusal {
    let result: FidoResult =
      switch error {
      case .json, .tlv: .jsonParser
      case .unsupportedVersion: .unsupportedVersion
      case .missing, .wrongType, .outOfRange, .notBase64URL, .repeatedVersion, .wrongOperation, .unknownExtension:
        .invalidParameter
      }
    return refusal(ofServer: result, error.description)
  }

  // MARK: Bodies

  /// The transport body in an answer, if status and type are those of an answer.
  ///
  /// A body with another HTTP status counts only if it refuses: only 200 can carry a success.
  func body<Body: JSONRepresentable>(
    _ type: Body.Type, of response: TransportResponse, _ types: [String], operation: UAFOperation,
    status: (Body) -> (UAFStatusCode, text: String?, seen: SeenCounter?)
  ) throws(Refusal) -> Body {
    guard MediaType.matches(response.contentType, types) else {
      throw httpRefusal(response, "is not a UAF message", isNoUAF: true)
    }
    let body: Body
    do {
      body = try Body(parsing: response.body)
    } catch {
      guard response.status == 200 else { throw httpRefusal(response, "is not a UAF message", isNoUAF: true) }
      throw refusal(error)
    }
    let (code, text, seen) = status(body)
    guard code == .ok else {
      var refusal = refusal(status: code, text: text, operation: operation)
      refusal.seenCounter = seen
      throw refusal
    }
    guard response.status == 200 else { throw httpRefusal(response, "contradicts its body") }
    return body
  }

  /// The answer is no answer of a UAF server.
  ///
  /// - Parameter isNoUAF: whether a server of UAF would have sent a message where it refuses.
  func httpRefusal(_ response: TransportResponse, _ fault: String, isNoUAF: Bool = false) -> Refusal {
    let hasFailed = response.status == 429 || (500...599).contains(response.status)
    // 407 is a proxy's alone. A server of the plain dialect may refuse with a bare 403 itself.
    let isOnTheWay = response.status == 407 || response.status == 403 && isNoUAF
    return Refusal(
      hasFailed ? .forbidden : .jsonParser, spokenByServer: true, handshakeCompleted: handshakeCompleted,
      httpStatus: response.status, cause: isOnTheWay ? .refusedOnTheWay : nil,
      detail: isOnTheWay
        ? "a proxy or a gateway before the server has refused (HTTP status \(response.status)); have it let the request through"
        : "the answer with HTTP status \(response.status) \(fault); check the addresses in the configuration")
  }
}
