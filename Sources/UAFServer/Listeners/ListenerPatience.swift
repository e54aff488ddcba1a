import NIOCore

/// How long a listener waits for the other side of a connection.
struct ListenerPatience: Sendable {
  static let standard = ListenerPatience(
    handshake: ConnectionPlace.standardHandshake, exchange: ExchangeDeadline.standard,
    idle: ExchangeDeadline.standardIdle)

  /// For TLS to begin.
  let handshake: TimeAmount
  /// For a request and its answer.
  let exchange: TimeAmount
  /// For a byte of a request.
  let idle: TimeAmount
}
