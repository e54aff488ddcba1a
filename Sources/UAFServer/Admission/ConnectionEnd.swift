import NIOCore

/// The place in a connection's pipeline that is nearest to the network, from which it is closed without a word.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  static let name = "connection-end"

  /// Closes a connection, from any thread.
  static func close(_ channel: any Channel) {
    channel.eventLoop.execute {
      if let context = try? channel.pipeline.syncOperations.context(name: name) {
        context.close(promise: nil)
      } else {
        channel.close(promise: nil)
      }
    }
  }
}
