import UAFMessages

/// Tells a server that this machine has joined how the machine is (PROTOCOL.md, "Check-in"): one request, and one answer that is
/// signed with the verdict's key.
public struct CheckInFlow: Sendable {
  /// Why the server did not take the report, or nobody can say that it did.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The server did not answer.
    case transport(TransportFailure)
    /// It answered with another status of HTTP: 403 if it does not know the machine, 404 if it does not know check-ins.
    case status(Int)
    /// It answered with another status of UAF, or with something that is no answer.
    case answer
    /// It answered, and nobody could say that this server has signed that.
    case unsigned

    /// What the log says.
    public var description: String {
      switch self {
      case .transport(let failure): "\(failure)"
      case .status(403): "the server does not know this machine; join it again"
      case .status(404): "the server takes no reports of machines"
      case .status(let number): "the server answered with HTTP status \(number)"
      case .answer: "the server's answer is none to a report"
      case .unsigned: "the server's answer is not fresh, or not signed with verdict_key for this report"
      }
    }
  }

  /// What the server has answered.
  public struct Answer: Equatable, Sendable {
    /// What it has signed.
    public let statement: CheckInStatement
    /// A workstation policy, a token of its own that is not checked here; nil if the server sent none.
    public let policy: String?
  }

  private let deviceID: String
  private let publicKeys: [[UInt8]]

  /// - Parameters:
  ///   - deviceID: what this machine is called at the server.
  ///   - publicKeys: the keys of which one must have signed the answer, 65 bytes `04 | X | Y` each.
  public init(deviceID: String, publicKeys: [[UInt8]]) {
    self.deviceID = deviceID
    self.publicKeys = publicKeys
  }

  /// Tells the server.
  ///
  /// The question is asked once: a proof is good for one report.
  ///
  /// - Parameters:
  ///   - body: a ``CheckInRequest``, as the proof names it.
  ///   - url: where, see ``OwnRoute/machine``.
  ///   - proof: what the machine proves, and the header with it.
  ///   - now: seconds since 1970, when the answer has come.
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
    guard response.status == 200 else { throw .status(response.status) }
    guard MediaType.matches(response.contentType, [Self.contentType]),
      let answer = try? CheckInAnswer(parsing: response.body), answer.statusCode == .ok
    else { throw .answer }
    guard
      let statement = SignedCheckIn.check(
        answer, to: proof.proof, deviceID: deviceID, publicKeys: publicKeys, now: now())
    else { throw .unsigned }
    return Answer(statement: statement, policy: answer.policy)
  }

  private static let contentType = "application/json"
}
