import NIOCore

/// Closes a connection if an exchange takes too long, or if nothing comes.
///
/// An exchange's time runs from the connection's start, or the last answer, to the end of the next answer. With the idle time
/// alone, a client that sends a body byte by byte could hold a connection for ever.
final class ExchangeDeadline: ChannelInboundHandler, ExchangeObserver, RemovableChannelHandler {
  typealias InboundIn = Never

  /// The time that an idle connection stays open, and as much again for the exchange.
  static let standard = TimeAmount.seconds(60)
  /// How long a connection stays open without a byte of a request.
  static let standardIdle = TimeAmount.seconds(30)

  private let limit: TimeAmount
  private let idleLimit: TimeAmount
  private let loop: any EventLoop
  /// Until when the next answer has to end.
  private var deadline = NIODeadline.distantFuture
  /// Until when something has to come; nothing has to while the client waits for the server.
  private var idleDeadline = NIODeadline.distantFuture
  private var timer: Scheduled<Void>?

  /// Makes the handler of one connection.
  init(_ limit: TimeAmount = standard, idle: TimeAmount = standardIdle, on loop: any EventLoop) {
    self.limit = limit
    idleLimit = idle
    self.loop = loop
  }

  func handlerAdded(context: ChannelHandlerContext) {
    reached(.taken)
    wait(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func reached(_ stage: ExchangeStage) {
    switch stage {
    case .reading: idleDeadline = loop.now + idleLimit
    case .answering: idleDeadline = .distantFuture
    case .answered: idleDeadline = loop.now + idleLimit
    case .taken:
      deadline = loop.now + limit
      idleDeadline = loop.now + idleLimit
    }
  }

  /// Closes the connection at the first deadline.
  ///
  /// A timer that ends too early is set again: so there is one for each limit's time, and not one for each answer.
  private func wait(_ context: ChannelHandlerContext) {
    // A deadline may become an earlier one, but not by more than the idle time.
    let next = min(deadline, idleDeadline, loop.now + idleLimit)
    timer = loop.assumeIsolated().scheduleTask(deadline: next) { [self] in
      if loop.now >= min(deadline, idleDeadline) { context.close(promise: nil) } else { wait(context) }
    }
  }
}
