import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves ``MetricsRoutes`` at a separate address, over HTTP.
struct MetricsListener: Service {
  /// Simultaneous connections: few programs watch a server.
  private static let maximum = 32

  let address: ListenAddress
  let host: String
  let port: Int
  let routes: MetricsRoutes
  let logger: Logger

  /// Makes the listener of an address; nil without one, and for a socket in the file system, which no monitoring program can
  /// reach.
  init?(_ address: ListenAddress?, _ routes: MetricsRoutes, logger: Logger) {
    guard let address, case .network(let host, let port) = address else { return nil }
    self.address = address
    self.host = host
    self.port = port
    self.routes = routes
    self.logger = logger
  }

  /// Serves until the server stops.
  ///
  /// - Throws: ``ServerError/cannotListen(address:errorNumber:)``.
  func run() async throws {
    let connections = Connections(maximum: 0, maximumOfAll: Self.maximum)
    let notices = RateLimiter(.init(perMinute: 1))
    let channel = ExchangeChannel(
      responder: routes.response(to:),
      limits: { [logger] loop in
        [
          ConnectionPlace(connections, notices: notices, logger: logger, handshake: nil), ExchangeDeadline(on: loop),
        ]
      })
    let server = channel.server(
      configuration: ServerConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { [logger] channel in
        logger.notice("metrics", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
      },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    do {
      try await server.run()
    } catch let error as IOError {
      throw ServerError.cannotListen(address: address.description, errorNumber: error.errnoCode)
    }
  }
}
