import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves ``MetricsRoutes`` at a separate address, over HTTP.
struct MetricsListener: Service {
  /// The most simultaneous connections; few programs monitor a server.
  private static let maximum = 32

  let address: ListenAddress
  let host: String
  let port: Int
  let routes: MetricsRoutes
  let logger: Logger

  /// Makes the listener for an address; nil if there is no address, or if it is a Unix socket, which monitoring programs cannot
  /// use.
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
