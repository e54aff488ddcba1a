import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// The connections of the server: HTTP/1.1, each request answered on the connection's event loop.
///
/// NIO parses requests. From there to the answer's bytes there is one handler, ``Exchange``: each further one would see each part
/// of each message.
struct ExchangeChannel: ServerChildChannel {
  /// A connection; nothing has to be done for it outside its pipeline.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
  }

  /// What the headers of a request may be: one of a login has a dozen fields, together less than 2 KiB.
  ///
  /// Beyond that the answer is status 400 of HTTP, and the connection is closed.
  private static var headerLimits: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 16_384
    limits.maxHeaderListSize = 32_768
    limits.maxHeaderFieldCount = 100
    return limits
  }

  let responder: Exchange.Responder
  /// Makes the handlers of a connection that count and limit it.
  let limits: @Sendable (any EventLoop) -> [any ExchangeObserver]
  var maximumBody: Exchange.BodyLimit = { _ in RequestBody.maximum }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      // Requests that come together are parsed together, and take a hundred times their bytes. One read has few of them.
      try channel.syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8192))
      try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      let pipeline = channel.pipeline.syncOperations
      let limits = limits(channel.eventLoop)
      try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: Self.headerLimits)))
      try pipeline.addHandler(Exchange(responder, on: channel.eventLoop, observers: limits, maximumBody: maximumBody))
      try pipeline.addHandlers(limits)
      return Value(channel: channel)
    }
  }

  /// Returns when the connection is closed.
  func handle(value: Value, logger: Logger) async {
    // A connection that failed is closed, too.
    try? await value.channel.closeFuture.get()
  }
}
