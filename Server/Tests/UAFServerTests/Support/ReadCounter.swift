import NIOCore

/// Counts how often a channel is asked to read.
///
/// It is used only on its channel's event loop.
final class ReadCounter: ChannelOutboundHandler, @unchecked Sendable {
  typealias OutboundIn = Never

  private(set) var count = 0

  func read(context: ChannelHandlerContext) {
    count += 1
    context.read()
  }
}
