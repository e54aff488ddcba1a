import Logging
import NIOCore

/// Closes a connection at once whose address has too many already; those of this machine are not counted.
final class AddressLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let counts: ConnectionCounts
  private let logger: Logger
  private var counted: String?

  /// Makes the handler of one connection; all of a server share the counts.
  init(_ counts: ConnectionCounts, logger: Logger) {
    self.counts = counts
    self.logger = logger
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { _ = admit(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    if admit(context) { context.fireChannelActive() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if let counted { counts.close(counted) }
    counted = nil
    context.fireChannelInactive()
  }

  private func admit(_ context: ChannelHandlerContext) -> Bool {
    guard counted == nil, let name = context.remoteAddress.flatMap(Admission.name) else { return true }
    if counts.open(name) {
      counted = name
      return true
    }
    logger.notice("limited", metadata: ["by": "connections", "name": "\(name)"])
    context.close(promise: nil)
    return false
  }
}
