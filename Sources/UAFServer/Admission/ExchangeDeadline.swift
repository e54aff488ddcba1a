import NIOCore
import NIOHTTPTypes

/// Closes a connection on which an exchange does not end in time: counted from the connection, or from the answer
/// before, to the end of the next answer.
///
/// The idle timeout alone lets a client hold a connection for ever that sends the body of a request byte by byte.
final class ExchangeDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// As long as an idle connection stays open, and as long again for the exchange.
  static let standard = TimeAmount.seconds(60)

  private let limit: TimeAmount
  private var timer: Scheduled<Void>?

  /// Makes the handler of one connection.
  init(_ limit: TimeAmount = standard) {
    self.limit = limit
  }

  func handlerAdded(context: ChannelHandlerContext) {
    restart(context)
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
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
  }
}
