import Logging
import NIOCore
import ServiceLifecycle

/// One address at which administration is served.
struct AdministrationListener: Service {
  let server: any Service
  let address: ListenAddress
  /// Gets what keeps the address from being listened on; nil if the server must not serve without it.
  var logger: Logger?

  /// Serves until the server stops.
  ///
  /// - Throws: ``ServerError/cannotListen(address:errorNumber:)``, unless there is a logger for that.
  func run() async throws {
    do {
      try await server.run()
    } catch let error as IOError {
      let failure = ServerError.cannotListen(address: address.description, errorNumber: error.errnoCode)
      guard let logger else { throw failure }
      logger.error("no-admin-socket", metadata: ["reason": "\(failure.description)"])
      try? await gracefulShutdown()
    }
  }
}
