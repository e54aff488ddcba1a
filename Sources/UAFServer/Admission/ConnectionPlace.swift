import Logging
import NIOCore
import NIOTLS

/// Enters a connection into the table of ``Connections``, reports its progress there, and closes it if its handshake is too slow.
final class ConnectionPlace: ChannelInboundHandler, ExchangeObserver, RemovableChannelHandler {
  typealias InboundIn = Never

  /// How long a handshake may take; the client sends two messages in it.
  static let standardHandshake = TimeAmount.seconds(10)

  private let connections: Connections
  private let proxies: TrustedProxies
  private let notices: RateLimiter
  private let logger: Logger
  private let handshake: TimeAmount?
  private var place: Connections.Place?
  private var timer: Scheduled<Void>?

  /// Makes the handler of one connection.
  ///
  /// - Parameters:
  ///   - connections: the table, shared by all connections of the server.
  ///   - proxies: their connections are of many people, and so are not limited by address.
  ///   - handshake: how long TLS may take to begin; nil where there is no TLS.
  ///   - notices: limits how often closed connections are logged; shared, too.
  init(
    _ connections: Connections, proxies: TrustedProxies = TrustedProxies(), notices: RateLimiter, logger: Logger,
    handshake: TimeAmount? = standardHandshake
  ) {
    self.connections = connections
    self.proxies = proxies
    self.notices = notices
    self.logger = logger
    self.handshake = handshake
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // Closed without TLS's closing message, since waiting for the other side's would take some seconds.
    let end = ConnectionEnd { self.step(to: self.handshake == nil ? .open : .handshake) }
    try? context.pipeline.syncOperations.addHandler(end, name: ConnectionEnd.name, position: .first)
    if context.channel.isActive { enter(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    enter(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    if let place { connections.close(place) }
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted = event as? TLSUserEvent {
      timer?.cancel()
      step(to: .open)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func reached(_ stage: ExchangeStage) {
    switch stage {
    case .answering: step(to: .answering)
    case .answered: step(to: .open)
    case .reading, .taken: break
    }
  }

  private func step(to stage: Connections.Stage) {
    if let place { connections.step(place, to: stage) }
  }

  private func enter(_ context: ChannelHandlerContext) {
    guard place == nil else { return }
    let channel = context.channel
    let address = proxies.contains(channel.remoteAddress) ? nil : channel.remoteAddress
    let (place, displaced) = connections.open(address.flatMap(Admission.name)) {
      ConnectionEnd.close(channel)
    }
    self.place = place
    timer = handshake.map { time in
      context.eventLoop.assumeIsolated().scheduleTask(in: time) { ConnectionEnd.close(channel) }
    }
    for each in displaced {
      each.close()
      // Logged once a minute for each address: a crowd must not fill the log.
      if notices.admits(each.name, now: Terminal.now) {
        logger.notice("limited", metadata: ["by": "connections", "name": "\(each.name.isEmpty ? "-" : each.name)"])
      }
    }
  }
}
