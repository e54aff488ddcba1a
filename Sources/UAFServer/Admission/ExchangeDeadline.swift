import NIOCore
import NIOHTTPTypes

/// Closes a connection if an exchange takes too long.
///
/// The time runs from the connection's start, or the last answer, to the end of the next answer.
///
/// With the idle timeout alone, a client that sends a body byte by byte could hold a connection for ever.
final class ExchangeDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The time that an idle connection stays open, and as much again for the exchange.
  static let standard = TimeAmount.seconds(60)

  private let limit: TimeAmount
  /// Until when the next answer has to end.
  private var deadline = NIODeadline.distantFuture
  private var timer: Scheduled<Void>?

  /// Makes the handler of one connection.
  init(_ limit: TimeAmount = standard) {
    self.limit = limit
  }

  func handlerAdded(context: ChannelHandlerContext) {
    restart(context)
    wait(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    let sent = promise ?? context.eventLoop.makePromise()
    sent.futureResult.assumeIsolated().whenSuccess { self.restart(context) }
    context.write(data, promise: sent)
  }

  private func restart(_ context: ChannelHandlerContext) {
    deadline = context.eventLoop.now + limit
  }

  /// Closes the connection at the deadline.
  ///
  /// A timer that ends too early is set again: so there is one for each limit's time, and not one for each answer.
  private func wait(_ context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
      if context.eventLoop.now >= deadline { context.close(promise: nil) } else { wait(context) }
    }
  }
}
