import UAFMessages

/// Tells a server that this machine leaves it (PROTOCOL.md, "Joining").
public enum LeaveFlow {
  /// The account that a proof names which is about no account.
  public static let nobody = "-"

  /// Tells it.
  ///
  /// - Parameters:
  ///   - url: where, see ``OwnRoute/leave``.
  ///   - proof: the proof of the machine that has joined.
  /// - Returns: the HTTP status: 200 if the server has noted it, 403 if it does not know the machine.
  /// - Throws: ``TransportFailure`` where no answer came.
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
