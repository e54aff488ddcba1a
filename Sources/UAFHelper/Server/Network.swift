import UAFClient

/// The way to the server, whatever it is made of.
final class Network: Transport {
  private let sending: (TransportRequest) throws(TransportFailure) -> Void
  private let receiving: () throws(TransportFailure) -> TransportResponse
  /// Proves to the server that it knows this machine; nil proves nothing.
  private var prover: MachineProver?

  /// A way made of its two halves.
  init(
    begin: @escaping (TransportRequest) throws(TransportFailure) -> Void,
    finish: @escaping () throws(TransportFailure) -> TransportResponse
  ) {
    sending = begin
    receiving = finish
  }

  /// Proves to the server from now on that it knows this machine.
  func prove(by prover: MachineProver?) { self.prover = prover }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    var request = request
    // Without a claim, who asks has made a proof or wants none.
    if let claim = request.claim { request.machineProof = prover?.proof(of: claim) }
    try sending(request)
  }

  func finish() throws(TransportFailure) -> TransportResponse { try receiving() }
}
