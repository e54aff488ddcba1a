import FidoResults
import UAFMessages

/// Joins a server (PROTOCOL.md, "Joining"): one request, and one answer that is signed with the verdict's key.
public struct JoinFlow: Sendable {
  private let request: JoinRequest
  private let proof: String?
  private let publicKeys: [[UInt8]]

  /// - Parameters:
  ///   - request: the code of a payload, and what is told of this machine.
  ///   - proof: the proof of a machine that has joined this server before; nil for none.
  ///   - publicKeys: the keys of which one must have signed the answer, 65 bytes `04 | X | Y` each.
  public init(_ request: JoinRequest, proof: String? = nil, publicKeys: [[UInt8]]) {
    self.request = request
    self.proof = proof
    self.publicKeys = publicKeys
  }

  /// Asks.
  ///
  /// - Parameters:
  ///   - url: where, see ``OwnRoute/join``.
  ///   - now: seconds since 1970, when the answer has come.
  /// - Returns: the group that the machine is in, by what the server knows it from now on, and when it has joined by the server's
  ///   clock, in seconds since 1970.
  /// - Throws: ``Refusal``, with the cause where the server has refused the code.
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
        : link.httpRefusal(response, "is no answer to a machine that joins", isNoUAF: true)
    }
    let answer: JoinAnswer
    do throws(MessageError) { answer = try JoinAnswer(parsing: response.body) } catch { throw link.refusal(error) }
    guard answer.statusCode == .ok else {
      throw link.refusal(
        ofServer: .serverNoRegistration, "the server answered with status \(answer.statusCode.rawValue)",
        because: Self.cause(answer.statusCode))
    }
    guard let joined = SignedJoin.check(answer, to: request, publicKeys: publicKeys, now: now()) else {
      throw link.refusal(
        .channelBinding, "no token for this request that is fresh and signed with verdict_key", because: .joinNotSigned)
    }
    return joined
  }

  private static let contentType = "application/json"

  /// Whether a server says that there is nothing at the address.
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
