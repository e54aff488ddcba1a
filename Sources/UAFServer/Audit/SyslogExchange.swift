import NIOCore
import NIOSSL
import NIOTLS

/// Writes messages when the TLS connection stands, ends it, and waits until the other side ends it too.
///
/// Syslog has no answers. A receiver closes its side after it has read what came before (RFC 5425, section 4.4). If it ends
/// with bytes unread, the system says so (a reset). So a close is the only sign that the messages were read.
final class SyslogExchange: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How long the other side may take to make a connection, and then to read.
  static let limits = (connect: TimeAmount.seconds(10), read: TimeAmount.seconds(30))

  private var frames: ByteBuffer
  private var result: EventLoopPromise<Void>?
  private var deadline: Scheduled<Void>?
  private var isWritten = false

  /// - Parameters:
  ///   - result: succeeds when the other side has read all.
  init(frames: ByteBuffer, result: EventLoopPromise<Void>) {
    self.frames = frames
    self.result = result
  }

  func channelActive(context: ChannelHandlerContext) {
    wait(Self.limits.connect, context)
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? TLSUserEvent, case .handshakeCompleted = event { write(context) }
    context.fireUserInboundEventTriggered(event)
  }

  // What a receiver says is read and forgotten.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A receiver that ends without a last word of TLS has read all, too, if that is no reset.
    guard !(isWritten && error as? NIOSSLError == .uncleanShutdown) else { return }
    end(.failure(error), context)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(isWritten ? .success(()) : .failure(SinkFailure.closed), context)
    context.fireChannelInactive()
  }

  private func write(_ context: ChannelHandlerContext) {
    wait(Self.limits.read, context)
    let written = context.eventLoop.makePromise(of: Void.self)
    let here = context.loopBound
    let this = NIOLoopBound(self, eventLoop: context.eventLoop)
    written.futureResult.whenComplete { result in
      switch result {
      case .success:
        this.value.isWritten = true
        here.value.close(mode: .all, promise: nil)
      case .failure(let error): this.value.errorCaught(context: here.value, error: error)
      }
    }
    context.writeAndFlush(wrapOutboundOut(frames), promise: written)
    frames.clear()
  }

  private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let here = context.loopBound
    let this = NIOLoopBound(self, eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: time) {
      this.value.end(.failure(SinkFailure.silent), here.value)
      here.value.channel.close(promise: nil)
    }
  }

  private func end(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    self.result?.completeWith(result)
    self.result = nil
  }
}
