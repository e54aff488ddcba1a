import NIOCore

/// Collects what arrives on a connection until the other end closes it.
final class WholeAnswer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var collected = ByteBuffer()
  private let promise: EventLoopPromise<String>

  init(_ promise: EventLoopPromise<String>) { self.promise = promise }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    collected.writeBuffer(&bytes)
  }

  func channelInactive(context: ChannelHandlerContext) { promise.succeed(String(buffer: collected)) }

  // TLS's closing message may be missing, which is reported as an error.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
