import UAFClient
import UAFWire

/// The way to the server, whatever it is made of.
final class Network: Transport {
  private let sending: (TransportRequest) throws(TransportFailure) -> Void
  private let receiving: () throws(TransportFailure) -> TransportResponse
  private let comingFirst: Arrival.Comparison?
  /// Proves to the server that it knows this machine; nil proves nothing.
  private var prover: MachineProver?

  /// A way made of its two halves.
  ///
  /// - Parameter comingFirst: waits for an answer beside a front end; nil where nobody can tell that one is there.
  init(
    begin: @escaping (TransportRequest) throws(TransportFailure) -> Void,
    finish: @escaping () throws(TransportFailure) -> TransportResponse, comingFirst: Arrival.Comparison? = nil
  ) {
    sending = begin
    receiving = finish
    self.comingFirst = comingFirst
  }

  /// What is done once the answer to the question under way is there, while the person types; nil where that cannot be told.
  func arrival(_ work: @escaping () -> Void) -> Arrival? {
    comingFirst.map { Arrival(comesFirst: $0, work: work) }
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
