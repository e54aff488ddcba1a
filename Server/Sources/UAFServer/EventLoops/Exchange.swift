import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import WebMessages

/// The handler of a connection's requests, after TLS and NIO's parser and encoder.
///
/// It collects a complete request, has it answered, and writes the response immediately.
///
/// Requests are answered one at a time. Parts of further requests wait, and while any wait, nothing more is read. Everything
/// happens on the connection's event loop, except for the store's work.
final class Exchange: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart
  typealias Responder = @Sendable (WebRequest) async -> WebResponse
  /// Returns how many bytes the body of a request may have.
  typealias BodyLimit = @Sendable (HTTPRequestHead) -> Int

  private let responder: Responder
  private let maximumBody: BodyLimit
  /// How many bytes the body of the arriving request may have.
  private var room = 0
  private let executor: EventLoopExecutor
  private let observers: [any ExchangeObserver]
  private var head: HTTPRequestHead?
  private var body = ByteBuffer()
  /// Parts that arrived before the previous request was answered.
  private var early = CircularBuffer<HTTPServerRequestPart>(initialCapacity: 0)
  private var state = State.open
  /// Whether the parser has refused the bytes after the early parts.
  private var isMalformed = false
  private var isReadHeld = false
  /// Whether the client has closed its side of the connection.
  private var isInputClosed = false
  /// Whether the server is stopping, so that the current answer is the last one on this connection.
  private var isEnding = false

  private enum State {
    case open
    /// A request waits until the client has read the earlier answers.
    case waiting
    case answering
    /// Whatever arrives is ignored.
    case closing
  }

  /// Makes the handler of one connection.
  ///
  /// - Parameter observers: handlers that are told about the progress of requests and answers.
  init(
    _ responder: @escaping Responder, on loop: any EventLoop, observers: [any ExchangeObserver] = [],
    maximumBody: @escaping BodyLimit = { _ in RequestBody.maximum }
  ) {
    self.responder = responder
    self.maximumBody = maximumBody
    self.observers = observers
    executor = EventLoopExecutor(loop)
  }

  // MARK: Events

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    tell(.reading)
    switch state {
    case .open: take(unwrapInboundIn(data), context)
    case .waiting, .answering: early.append(unwrapInboundIn(data))
    case .closing: break
    }
  }

  /// Reads on, unless parts of further requests wait, or the client does not read its answers.
  ///
  /// So a client cannot fill the memory with requests or answers.
  func read(context: ChannelHandlerContext) {
    isReadHeld = !early.isEmpty || !context.channel.isWritable
    if !isReadHeld { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if state == .waiting { respond(context) }
    if isReadHeld { read(context: context) }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent:
      isEnding = true
      if state == .open, head == nil { context.close(promise: nil) }
    case ChannelEvent.inputClosed:
      // The client has closed its side, with TLS's close_notify or with a TCP FIN. Complete requests are still answered, and an
      // incomplete one is dropped. Otherwise the connection would stay open until its idle time is over.
      isInputClosed = true
      if state == .open { context.close(promise: nil) }
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError else { return context.close(promise: nil) }
    switch state {
    case .open: refuse(context)
    case .waiting, .answering: isMalformed = true
    case .closing: break
    }
  }

  // MARK: Requests

  private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head(let head):
      body.clear()
      // After such a request, the connection would carry a different protocol.
      if head.method == .CONNECT || head.headers.contains(name: "Upgrade") { return refuse(context) }
      self.head = head
      room = maximumBody(head)
      // The body is refused by its announced length, before any of it arrives.
      guard !RequestBody.announcesTooMuch(head.headers, limit: room) else { return respond(context) }
      // Without this interim response, such a client waits for a second before it sends the body.
      if head.headers.value(of: "Expect")?.lowercased() == "100-continue" {
        let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
      }
    case .body(var part):
      // At most one byte more than allowed is kept: it shows that the body is too long.
      let rest = room + 1 - body.readableBytes
      guard head != nil, rest > 0 else { return }
      if let kept = part.readSlice(length: min(rest, part.readableBytes)) { body.writeImmutableBuffer(kept) }
      if body.readableBytes > room { respond(context) }
    case .end:
      respond(context)
    }
  }

  /// Refuses a request, and closes the connection; what has arrived of the request is ignored, and nothing more is read.
  private func refuse(_ context: ChannelHandlerContext) {
    // Reading is stopped because NIO waits for the client's close_notify, and more could arrive meanwhile. If this fails, the
    // exchange's deadline closes the connection.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    write(WebResponse(status: .badRequest, isLast: true), isLast: true, context)
  }

  // MARK: Answers

  /// Has the request answered, once.
  ///
  /// It waits until the earlier answers have been sent: otherwise a client that sends requests but reads no answers could fill
  /// the memory with answers.
  private func respond(_ context: ChannelHandlerContext) {
    guard let head else { return }
    guard context.channel.isWritable else {
      state = .waiting
      return
    }
    self.head = nil
    state = .answering
    tell(.answering)
    let request = WebRequest(
      method: head.method, target: head.uri, headers: head.headers, body: body, peer: context.channel.remoteAddress)
    let (isForHead, isLast) = (head.method == .HEAD, !head.isKeepAlive)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    Task(executorPreference: executor) { [responder] in
      let response = await responder(request)
      let (exchange, context) = bound.value
      exchange.write(response, isForHead: isForHead, isLast: isLast, context)
    }
  }

  private func write(
    _ response: WebResponse, isForHead: Bool = false, isLast: Bool, _ context: ChannelHandlerContext
  ) {
    let isLast = isLast || isEnding || response.isLast || isInputClosed && early.isEmpty
    let head = response.head(isLast: isLast, date: SecondText.http.text(at: Terminal.now))
    tell(.answered)
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenComplete { [self] result in
      if case .success = result { tell(.taken) }
      if isLast { context.close(promise: nil) }
    }
    state = isLast ? .closing : .open
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isForHead, response.status.mayHaveResponseBody, !response.body.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    goOn(context)
  }

  /// Processes the parts that arrived during the last answer.
  private func goOn(_ context: ChannelHandlerContext) {
    while state == .open, let part = early.popFirst() { take(part, context) }
    if state == .open, isMalformed { refuse(context) }
    if state == .open, isInputClosed { context.close(promise: nil) }
    if isReadHeld { read(context: context) }
  }

  private func tell(_ stage: ExchangeStage) {
    for observer in observers { observer.reached(stage) }
  }
}

/// A handler that counts or limits a connection.
///
/// ``Exchange`` tells it about the progress of requests and answers.
///
/// It comes after ``Exchange`` in the pipeline, so no part of a request or an answer passes through it.
protocol ExchangeObserver: ChannelHandler {
  /// Called on the connection's event loop.
  func reached(_ stage: ExchangeStage)
}

/// How far a connection has come with a request and its answer.
enum ExchangeStage {
  /// Bytes of a request have arrived.
  case reading
  /// A request has arrived, as far as the server reads it; the client now waits for the server.
  case answering
  /// The answer is written.
  case answered
  /// The whole answer has been handed to the kernel.
  case taken
}

/// The connections of the server: HTTP/1.1, each request answered on the connection's event loop.
///
/// NIO parses requests and encodes responses. Its handlers are followed by only one of ours, ``Exchange``, because every
/// further handler would have to process each part of each message.
struct ExchangeChannel: ServerChildChannel {
  /// A connection.
  ///
  /// Everything for it is done in its pipeline.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
  }

  /// The limits for the headers of a request: a login's request has a dozen fields, together less than 2 KiB.
  ///
  /// If a request exceeds them, the answer is HTTP status 400, and the connection is closed.
  private static var headerLimits: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 16_384
    limits.maxHeaderListSize = 32_768
    limits.maxHeaderFieldCount = 100
    return limits
  }

  let responder: Exchange.Responder
  /// Makes the handlers that count and limit a connection.
  let limits: @Sendable (any EventLoop) -> [any ExchangeObserver]
  var maximumBody: Exchange.BodyLimit = { _ in RequestBody.maximum }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      // NIO parses all requests of one read before it passes them on, and they take a hundred times their size in memory. So
      // reads are kept small.
      try channel.syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8192))
      try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      let pipeline = channel.pipeline.syncOperations
      let limits = limits(channel.eventLoop)
      try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: Self.headerLimits)))
      try pipeline.addHandler(ResponseGatherer())
      try pipeline.addHandler(HTTPResponseEncoder())
      try pipeline.addHandler(Exchange(responder, on: channel.eventLoop, observers: limits, maximumBody: maximumBody))
      try pipeline.addHandlers(limits)
      return Value(channel: channel)
    }
  }

  /// Returns when the connection is closed.
  func handle(value: Value, logger: Logger) async {
    // Errors are ignored: a connection that failed is closed, too.
    try? await value.channel.closeFuture.get()
  }
}

/// Writes a response as one buffer, and so as one TLS record.
///
/// NIO's encoder writes head and body separately. Each would be encrypted as a record of its own, which in a login costs as
/// much time as encoding its two responses.
final class ResponseGatherer: ChannelOutboundHandler {
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private var gathered = ByteBuffer()
  private var promise: EventLoopPromise<Void>?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .byteBuffer(var part) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    if gathered.readableBytes == 0 { gathered = part } else { gathered.writeBuffer(&part) }
    self.promise.setOrCascade(to: promise)
  }

  func flush(context: ChannelHandlerContext) {
    if gathered.readableBytes > 0 || promise != nil {
      context.write(wrapOutboundOut(.byteBuffer(gathered)), promise: promise)
      (gathered, promise) = (ByteBuffer(), nil)
    }
    context.flush()
  }
}

/// Runs tasks on an event loop's thread.
///
/// A connection's bytes are read and written on its event loop. With this executor its task runs there too, so an answer
/// changes threads only for the store.
final class EventLoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  /// Makes the executor of a loop.
  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // SAFETY: the reference to this executor is used within the call, while the closure keeps the executor.
    loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
