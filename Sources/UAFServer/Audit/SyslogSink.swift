import NIOCore
import NIOPosix
import NIOSSL
import UAFService

/// A syslog server over TLS (RFC 5425).
///
/// Each portion of rows has a connection of its own.
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
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; what TLS cannot use.
  init(host: String, port: Int, trust: SinkTrust, sender: String) throws {
    self.host = host
    self.port = port
    self.sender = sender
    var configuration = try trust.configuration()
    // Longer than an exchange may take: that deadline decides.
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
    // An address has no server name; its certificate names the address.
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
    // A server that is told to stop waits for no receiver: the rows are sent again later.
    try await withTaskCancellationHandler {
      try await result.futureResult.get()
    } onCancel: {
      result.fail(SinkFailure.closed)
      connecting.whenSuccess { $0.close(promise: nil) }
    }
  }
}
