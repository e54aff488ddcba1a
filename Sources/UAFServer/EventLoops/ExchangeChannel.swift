import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The connections of the server: HTTP/1.1, each request answered on the connection's event loop.
///
/// Hummingbird's own channel hands every part of a message from one task to another. That took a third of the time of a login.
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
  let limits: @Sendable () -> [any ChannelHandler]
  /// How long a connection stays open without a request.
  let idleTimeout: Duration

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      // Requests that come together are parsed together, and take a hundred times their bytes. One read has few of them.
      try channel.syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8192))
      try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      let pipeline = channel.pipeline.syncOperations
      // A client that takes in no answer is not read from.
      try pipeline.addHandler(BackPressureHandler())
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: true, withErrorHandling: true, withOutboundHeaderValidation: false,
        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: Self.headerLimits)
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: true))
      try pipeline.addHandlers(limits())
      try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: idleTimeout, logger: logger))
      try pipeline.addHandler(Exchange(responder, on: channel.eventLoop, logger: logger))
      return Value(channel: channel)
    }
  }

  /// Returns when the connection is closed.
  func handle(value: Value, logger: Logger) async {
    // A connection that failed is closed, too.
    try? await value.channel.closeFuture.get()
  }
}
