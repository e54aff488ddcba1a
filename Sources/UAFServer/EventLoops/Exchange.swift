import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTPTypes

/// The last handler of a connection's pipeline: collects a request whole, has it answered, and writes the answer at once.
///
/// Requests come one at a time: NIO's handler for pipelining stands before it. Everything happens on the connection's event
/// loop, but for what the store does elsewhere.
final class Exchange: ChannelInboundHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart
  typealias Responder = any HTTPResponder<UAFRequestContext>

  private let responder: Responder
  private let executor: EventLoopExecutor
  private let logger: Logger
  private var head: HTTPRequest?
  private var body = ByteBuffer()
  /// Whether a request waits until the client has taken in the last answers.
  private var isWaiting = false

  /// Makes the handler of one connection.
  init(_ responder: Responder, on loop: any EventLoop, logger: Logger) {
    self.responder = responder
    executor = EventLoopExecutor(loop)
    self.logger = logger
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body.clear()
      // What follows would belong to another protocol. NIO would keep all of it for whoever speaks that.
      if head.method == .connect || head.headerFields[.upgrade] != nil { return refuse(context) }
      // Refused by its announced length, before any of it has come.
      guard !UAFRoutes.announcesTooMuch(head.headerFields) else { return answer(context) }
      // Whoever asks waits a second for that before they send the body.
      if head.headerFields[.expect]?.lowercased() == "100-continue" {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
    case .body(var part):
      // More than the longest body is not kept; one byte more shows that there is more.
      let room = UAFRoutes.maximumBody + 1 - body.readableBytes
      guard head != nil, room > 0 else { return }
      if let kept = part.readSlice(length: min(room, part.readableBytes)) { body.writeImmutableBuffer(kept) }
      if body.readableBytes > UAFRoutes.maximumBody { answer(context) }
    case .end:
      answer(context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if isWaiting { answer(context) }
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Closes the connection after a refusal, and reads nothing more; what has come of the request is not looked at.
  private func refuse(_ context: ChannelHandlerContext) {
    head = nil
    // TLS's closing message is waited for, and meanwhile more would come. If this fails, the exchange's time ends it.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    write(Response(status: .badRequest), ByteBuffer(), isLast: true, context)
  }

  /// Has the request answered, once.
  ///
  /// Not before the answers to earlier requests are on their way: a client that sends requests and takes in no answer would
  /// fill the memory with them.
  private func answer(_ context: ChannelHandlerContext) {
    guard let head else { return }
    isWaiting = !context.channel.isWritable
    guard !isWaiting else { return }
    self.head = nil
    let isLast = Self.asksToClose(head.headerFields)
    let request = Request(head: head, body: RequestBody(buffer: body))
    let source = ApplicationRequestContextSource(channel: context.channel, logger: logger)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    Task(executorPreference: executor) { [responder] in
      var response: Response
      do {
        response = try await responder.respond(to: request, context: UAFRequestContext(source: source))
      } catch {
        response = Response(status: .internalServerError)
      }
      let content = ResponseContent()
      // Every route has its body at hand: nothing waits or fails here.
      try? await response.body.write(content)
      response.headers[.date] = SecondText.http.text(at: Terminal.now)
      response.headers[.server] = "uaf-server"
      let (exchange, context) = bound.value
      exchange.write(response, content.bytes, isLast: isLast, context)
    }
  }

  /// Whether `Connection` has the option `close` (RFC 9110, section 7.6.1).
  private static func asksToClose(_ fields: HTTPFields) -> Bool {
    guard let options = fields[.connection] else { return false }
    return options.lowercased().split { ", \t".contains($0) }.contains("close")
  }

  private func write(_ response: Response, _ content: ByteBuffer, isLast: Bool, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(response.head)), promise: nil)
    if content.readableBytes > 0 { context.write(wrapOutboundOut(.body(content)), promise: nil) }
    guard isLast || response.headers[.connection] == "close" else {
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      return
    }
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
  }
}
