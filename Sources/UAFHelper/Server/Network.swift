import UAFClient

/// The way to the server, whatever it is made of.
final class Network: Transport {
  private let sending: (TransportRequest) throws(TransportFailure) -> Void
  private let receiving: () throws(TransportFailure) -> TransportResponse

  /// A way made of its two halves.
  init(
    begin: @escaping (TransportRequest) throws(TransportFailure) -> Void,
    finish: @escaping () throws(TransportFailure) -> TransportResponse
  ) {
    sending = begin
    receiving = finish
  }

  func begin(_ request: TransportRequest) throws(TransportFailure) { try sending(request) }

  func finish() throws(TransportFailure) -> TransportResponse { try receiving() }
}
