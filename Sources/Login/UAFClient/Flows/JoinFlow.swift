import FidoResults
import UAFMessages

/// Joins a server (docs/protocol.md, "Joining"): one request, and one answer, which the server signs with its verdict key.
public struct JoinFlow: Sendable {
  private let request: JoinRequest
  private let proof: String?
  private let publicKeys: [[UInt8]]

  /// - Parameters:
  ///   - request: the join code, and the description of this machine.
  ///   - proof: the proof of a machine that has joined this server before; nil for a machine that has not.
  ///   - publicKeys: the verdict keys, 65 bytes `04 | X | Y` each; one of them must have signed the answer.
  public init(_ request: JoinRequest, proof: String? = nil, publicKeys: [[UInt8]]) {
    self.request = request
    self.proof = proof
    self.publicKeys = publicKeys
  }

  /// Sends the request and checks the answer.
  ///
  /// - Parameters:
  ///   - url: the address, see ``OwnRoute/join``.
  ///   - now: seconds since 1970, read after the answer has arrived.
  /// - Returns: the group that the machine has joined, its new machine secret, and when it joined by the server's clock, in
  ///   seconds since 1970.
  /// - Throws: ``Refusal``, with the cause if the server has refused the code.
  public func join(
    at url: String, over transport: some Transport, now: () -> Int64
  ) throws(Refusal) -> (group: MachineGroup, secret: MachineSecret, joinedAt: Int64) {
    var (transport, link) = (transport, ServerLink())
    var post = TransportRequest.post(request.jsonBytes, to: url, contentType: Self.contentType)
    post.machineProof = proof
    try link.begin(post, over: &transport)
    let response = try link.finish(repeating: post, over: &transport)
    guard response.status == 200, MediaType.matches(response.contentType, [Self.contentType]) else {
      throw Self.isUnknown(response.status)
        ? link.refusal(ofServer: .clientMismatch, "the server does not know /join", because: .joinNotOffered)
        : link.httpRefusal(response, "is not a reply to a machine that joins", isNoUAF: true)
    }
    let answer: JoinAnswer
    do throws(MessageError) { answer = try JoinAnswer(parsing: response.body) } catch { throw link.refusal(error) }
    guard answer.statusCode == .ok else {
      throw link.refusal(
        ofServer: .serverNoRegistration, "the server replied with status \(answer.statusCode.rawValue)",
        because: Self.cause(answer.statusCode))
    }
    guard let joined = SignedJoin.check(answer, to: request, publicKeys: publicKeys, now: now()) else {
      throw link.refusal(
        .channelBinding,
        "there is no current token for this request that is signed with verdict_key", because: .joinNotSigned)
    }
    return joined
  }

  private static let contentType = "application/json"

  /// Whether a server's HTTP status means that it has no such address.
  private static func isUnknown(_ status: Int) -> Bool { status == 404 || status == 405 }

  private static func cause(_ status: UAFStatusCode) -> EndCause {
    switch status {
    case .notFound: .joinExpired
    case .requestInvalid: .joinUsedUp
    case .revokedAuthenticator: .joinRevoked
    case .forbidden: .joinTaken
    default: .joinRefused
    }
  }
}

/// Tells a server that this machine is leaving (docs/protocol.md, "Joining").
public enum LeaveFlow {
  /// The account name in a proof that concerns no account.
  public static let nobody = "-"

  /// Tells the server, and returns its HTTP status.
  ///
  /// - Parameters:
  ///   - url: the address, see ``OwnRoute/leave``.
  ///   - proof: the proof of the machine that has joined.
  /// - Returns: the HTTP status: 200 if the server has recorded it, 403 if it does not know the machine.
  /// - Throws: ``TransportFailure`` if no answer came.
  public static func leave(
    at url: String, proof: String, over transport: some Transport
  ) throws(TransportFailure) -> Int {
    var transport = transport
    var request = TransportRequest(method: .post, url: url, contentType: nil, accept: "application/json", body: [])
    request.machineProof = proof
    try transport.begin(request)
    return try transport.finish().status
  }
}

/// Reports this machine's condition to a server that it has joined (docs/protocol.md, "Check-in"): one request, and one answer,
/// which the server signs with its verdict key.
public struct CheckInFlow: Sendable {
  /// Why the server did not accept the report, or why it is not known whether it did.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The server could not be reached, or gave no answer.
    case transport(TransportFailure)
    /// It answered with an HTTP status other than success: 403 if it does not know the machine, 404 if it does not support
    /// check-ins.
    case status(Int)
    /// It does not know this machine, and has signed that for this report.
    case unknown
    /// It answered with a UAF status other than success, or with something that is not a check-in answer.
    case answer
    /// It answered, but the answer is not a statement that this server signed for the report.
    case unsigned

    /// The reason, in words for the log.
    public var description: String {
      switch self {
      case .transport(let failure): "\(failure)"
      case .status(403): "the server does not know this machine; join it again"
      case .status(404): "the server does not accept reports from machines"
      case .unknown: "the server has signed that it does not know this machine; join it again"
      case .status(let number): "the server replied with HTTP status \(number)"
      case .answer: "the server's reply is not a reply to a report"
      case .unsigned: "the server's reply is not current, or not signed with verdict_key for this report"
      }
    }
  }

  /// The server's answer.
  public struct Answer: Equatable, Sendable {
    /// The part that the server signed.
    public let statement: CheckInStatement
    /// A workstation policy, as a token that is signed separately and not checked here; nil if the server sent none.
    public let policy: String?
    /// What the server says about its keys and authorities; nil if the server, of an earlier version, said nothing.
    public let trust: ReceivedTrust?
  }

  private let deviceID: String
  private let publicKeys: [[UInt8]]

  /// - Parameters:
  ///   - deviceID: this machine's ID at the server.
  ///   - publicKeys: the verdict keys, 65 bytes `04 | X | Y` each; one of them must have signed the answer.
  public init(deviceID: String, publicKeys: [[UInt8]]) {
    self.deviceID = deviceID
    self.publicKeys = publicKeys
  }

  /// Sends the report to the server.
  ///
  /// It is sent only once, because a proof is valid for one report.
  ///
  /// - Parameters:
  ///   - body: a ``CheckInRequest``, whose hash is in the proof.
  ///   - url: the address, see ``OwnRoute/machine``.
  ///   - proof: the machine's proof, and the same proof as the content of the header.
  ///   - now: seconds since 1970, read after the answer has arrived.
  /// - Throws: ``Fault``.
  public func tell(
    _ body: [UInt8], at url: String, proof: (proof: MachineProof, text: String), over transport: some Transport,
    now: () -> Int64
  ) throws(Fault) -> Answer {
    var transport = transport
    var request = TransportRequest.post(body, to: url, contentType: Self.contentType)
    request.machineProof = proof.text
    let response: TransportResponse
    do throws(TransportFailure) {
      try transport.begin(request)
      response = try transport.finish()
    } catch { throw .transport(error) }
    guard response.status == 200 else {
      throw isUnknown(response, proof.text, now()) ? .unknown : .status(response.status)
    }
    guard MediaType.matches(response.contentType, [Self.contentType]),
      let answer = try? CheckInAnswer(parsing: response.body), answer.statusCode == .ok
    else { throw .answer }
    let time = now()
    guard
      let statement = SignedCheckIn.check(
        answer, to: proof.proof, deviceID: deviceID, publicKeys: publicKeys, now: time)
    else { throw .unsigned }
    let trust = answer.trust.map { token in
      SignedTrust.receive(token, answering: proof.proof, deviceID: deviceID, publicKeys: publicKeys, now: time)
    }
    return Answer(statement: statement, policy: answer.policy, trust: trust)
  }

  /// Whether a refusal contains the server's signed statement that it does not know the machine that made this proof.
  private func isUnknown(_ response: TransportResponse, _ proof: String, _ now: Int64) -> Bool {
    guard response.status == 403, MediaType.matches(response.contentType, [Self.contentType]),
      let answer = try? CheckInAnswer(parsing: response.body)
    else { return false }
    return SignedCheckIn.isUnknown(answer, to: proof, publicKeys: publicKeys, now: now)
  }

  private static let contentType = "application/json"
}
