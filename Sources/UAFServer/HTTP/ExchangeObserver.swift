import NIOCore

/// A handler that counts or limits a connection: ``Exchange`` tells it how far requests and answers have come.
///
/// It stands behind ``Exchange`` in the pipeline, so no part of a request or an answer passes through it.
protocol ExchangeObserver: ChannelHandler {
  /// Called on the connection's event loop.
  func reached(_ stage: ExchangeStage)
}
