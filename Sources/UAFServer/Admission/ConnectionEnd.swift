import NIOCore

/// The first handler of a connection's pipeline: it sees the first bytes, and closes without TLS's closing message.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  static let name = "connection-end"

  private var begins: (() -> Void)?

  /// Makes the handler of one connection.
  ///
  /// - Parameter begins: called once, when the first bytes come.
  init(begins: @escaping () -> Void) {
    self.begins = begins
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    begins?()
    begins = nil
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    begins = nil
    context.fireChannelInactive()
  }

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
