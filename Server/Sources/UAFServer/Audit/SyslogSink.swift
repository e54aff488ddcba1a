import FidoResults
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import UAFMessages
import UAFService

/// A syslog server over TLS (RFC 5425).
///
/// Each portion of rows is sent over a new connection.
struct SyslogSink: RowSink {
  let name = "syslog"

  private let host: String
  private let port: Int
  private let context: NIOSSLContext
  /// The name of this machine.
  private let sender: String

  /// Makes a sink; nothing is sent yet.
  ///
  /// - Parameter sender: the name of this machine.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; the errors of TLS for files that it cannot use.
  init(host: String, port: Int, trust: SinkTrust, sender: String) throws {
    self.host = host
    self.port = port
    self.sender = sender
    var configuration = try trust.configuration()
    // Longer than an exchange may take, so that the exchange's own deadline always comes first.
    configuration.shutdownTimeout = SyslogExchange.limits.read + .seconds(30)
    context = try trust.context(configuration)
  }

  func send(_ rows: [AuditRow]) async throws(SinkFailure) {
    var frames = ByteBuffer()
    for row in rows { frames.writeBytes(SyslogMessage.frame(row, host: sender)) }
    do { try await exchange(frames) } catch { throw SinkFailure(error) }
  }

  func close() async {}

  private func exchange(_ frames: ByteBuffer) async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let result = loop.makePromise(of: Void.self)
    // If the host is an IP address, no server name (SNI) is sent, and the certificate must name the address.
    let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(SyslogExchange.limits.connect)
      .channelInitializer { [context, host] channel in
        channel.eventLoop.makeCompletedFuture {
          let tls = try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
          try channel.pipeline.syncOperations.addHandlers([tls, SyslogExchange(frames: frames, result: result)])
        }
      }
    let connecting = bootstrap.connect(host: host, port: port)
    connecting.whenFailure { result.fail($0) }
    // When the server is stopped, it does not wait for the receiver: the rows are sent again later.
    try await withTaskCancellationHandler {
      try await result.futureResult.get()
    } onCancel: {
      result.fail(SinkFailure.closed)
      connecting.whenSuccess { $0.close(promise: nil) }
    }
  }
}

/// Writes messages once the TLS connection is established, closes its own side, and waits until the receiver closes its side
/// too.
///
/// The syslog protocol has no replies. A receiver closes its side after it has read everything (RFC 5425, section 4.4). If it
/// closes earlier, the system reports a reset. So an orderly close is the only sign that the messages were read.
final class SyslogExchange: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How long the receiver may take to accept a connection, and then to read everything.
  static let limits = (connect: TimeAmount.seconds(10), read: TimeAmount.seconds(30))

  private var frames: ByteBuffer
  private var result: EventLoopPromise<Void>?
  private var deadline: Scheduled<Void>?
  private var isWritten = false

  /// - Parameters:
  ///   - result: succeeds once the receiver has read everything.
  init(frames: ByteBuffer, result: EventLoopPromise<Void>) {
    self.frames = frames
    self.result = result
  }

  func channelActive(context: ChannelHandlerContext) {
    wait(Self.limits.connect, context)
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? TLSUserEvent, case .handshakeCompleted = event { write(context) }
    context.fireUserInboundEventTriggered(event)
  }

  // Anything that a receiver sends is read and ignored.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A receiver that closes without TLS's closing message has read everything, too; a reset is a different error.
    guard !(isWritten && error as? NIOSSLError == .uncleanShutdown) else { return }
    end(.failure(error), context)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(isWritten ? .success(()) : .failure(SinkFailure.closed), context)
    context.fireChannelInactive()
  }

  private func write(_ context: ChannelHandlerContext) {
    wait(Self.limits.read, context)
    let written = context.eventLoop.makePromise(of: Void.self)
    let here = context.loopBound
    let this = NIOLoopBound(self, eventLoop: context.eventLoop)
    written.futureResult.whenComplete { result in
      switch result {
      case .success:
        this.value.isWritten = true
        here.value.close(mode: .all, promise: nil)
      case .failure(let error): this.value.errorCaught(context: here.value, error: error)
      }
    }
    context.writeAndFlush(wrapOutboundOut(frames), promise: written)
    frames.clear()
  }

  private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let here = context.loopBound
    let this = NIOLoopBound(self, eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: time) {
      this.value.end(.failure(SinkFailure.silent), here.value)
      here.value.channel.close(promise: nil)
    }
  }

  private func end(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    self.result?.completeWith(result)
    self.result = nil
  }
}

/// A row of the audit as a syslog message (RFC 5424), in the frame that TLS needs (RFC 5425, section 4.3).
enum SyslogMessage {
  /// The id of the structured data.
  ///
  /// 32473 is the enterprise number for examples (RFC 5612), so it belongs to nobody.
  static let dataID = "uafAudit@32473"

  /// Facility 13, log audit, and severity 5, notice (RFC 5424, section 6.2.1).
  private static let notice = 13 * 8 + 5
  private static let warning = 13 * 8 + 4
  private static let critical = 13 * 8 + 2

  /// A message in its frame: its length in bytes, a space, and the message.
  ///
  /// - Parameter host: the name of the sending machine.
  static func frame(_ row: AuditRow, host: String) -> [UInt8] {
    let message = Array(text(row, host: host).utf8)
    return Array("\(message.count) ".utf8) + message
  }

  /// The message of a row.
  ///
  /// A column with an empty text is left out.
  static func text(_ row: AuditRow, host: String) -> String {
    let event = row.event
    let header = [
      "<\(priority(event))>1", SecondText.iso8601.text(at: event.time), printable(host, limit: 255), "uaf-server", "-",
      printable(event.kind.rawValue, limit: 32),
    ].joined(separator: " ")
    let names = ["kind", "outcome", "account", "actor", "address", "machine", "authenticators", "detail"]
    var data = "number=\"\(row.number)\" hash=\"\(Base64URL.encode(row.link.hash))\""
    for (name, text) in zip(names, event.texts) where !text.isEmpty { data += " \(name)=\"\(escaped(text))\"" }
    return "\(header) [\(dataID) \(data)]"
  }

  private static func priority(_ event: AuditEntry) -> Int {
    if event.kind == .broken || event.kind == .unsigned { return critical }
    return event.outcome == AuditEntry.done ? notice : warning
  }

  /// The characters that a header field may contain: printable ASCII without spaces; "-" for nothing.
  private static func printable(_ text: String, limit: Int) -> String {
    let kept = text.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.prefix(limit)
    return kept.isEmpty ? "-" : String(String.UnicodeScalarView(kept))
  }

  /// A value of a parameter (RFC 5424, section 6.3.3).
  ///
  /// Control characters could begin a new line in the receiver's file, and other characters reverse the text around them. So
  /// these are replaced by their numbers.
  static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in Text.marked(text).unicodeScalars {
      if scalar == "\"" || scalar == "\\" || scalar == "]" { escaped.append("\\") }
      escaped.append(scalar)
    }
    return String(escaped)
  }
}
