import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import UAFAdministration
import UAFConsole
import UAFService
import WebMessages

/// Serves the API, SCIM and the console separately from logins: over TLS at an address of their own, and on a Unix socket in the
/// state folder for root and the server's user.
struct AdministrationListeners: Sendable {
  /// The most simultaneous connections; there are few administrators.
  private static let maximum = 256

  let api: APIResponder
  private let scim: SCIMResponder
  /// Answers every path that belongs neither to the API nor to SCIM.
  let console: Exchange.Responder
  private let socketPath: String
  private let proxies: TrustedProxies
  private let patience: ListenerPatience
  private let logger: Logger

  init(
    api: APIResponder, socketPath: String,
    console: @escaping Exchange.Responder = { _ in WebResponse(status: .notFound) },
    proxies: TrustedProxies, patience: ListenerPatience = .standard, logger: Logger
  ) {
    self.api = api
    scim = SCIMResponder(beside: api)
    self.console = console
    self.socketPath = socketPath
    self.proxies = proxies
    self.patience = patience
    self.logger = logger
  }

  /// Makes the listeners of a server.
  ///
  /// - Parameter port: the port of the network address; nil for none.
  init(
    _ routes: UAFRoutes, _ directory: ServerDirectory, facts: ServerFacts, port: Int?, proxies: TrustedProxies,
    logger: Logger
  ) {
    let service = routes.environment
    let environment = AdministrationEnvironment(
      store: service.store, group: { try service.policies().group(of: $0) },
      members: { try service.policies().members(of: $0) }, passkeys: { service.passkeyReach }, now: service.now,
      random: service.random,
      authority: { try CertificateFiles.authority(of: directory, for: $0) },
      verdictKeys: { String(decoding: service.keys.announcedPEM, as: UTF8.self) },
      comingKeys: { service.keys.comingVerdictKeys },
      unlocks: { UnlockGrants(keys: service.keys) }, enrolments: { EnrolmentSeal(keys: service.keys) },
      isAuditUnsigned: { service.auditStanding.isOverdue(at: service.now()) },
      unknownMachines: { service.unknown.all(now: service.now()) }, models: service.models)
    self.init(
      api: APIResponder(environment, proxies: proxies, logger: logger), socketPath: directory.adminSocketPath,
      console: ConsoleResponder(
        service, environment, routes.passkeys.guarding, facts: facts, port: port, proxies: proxies, logger: logger
      )
      .response(to:),
      proxies: proxies,
      logger: logger)
  }

  /// The services that accept connections.
  ///
  /// - Parameters:
  ///   - address: the network address; nil for the socket alone.
  ///   - certificates: the server's certificates. If the server has no certificate of its own, only the socket is served.
  func services(at address: AdminAddress?, _ certificates: ServedCertificates) -> [any Service] {
    let remote = certificates.tls == nil ? nil : address.map { network($0, certificates) }
    return [remote, local(path: socketPath)].compactMap { $0 }
  }

  /// The service at a network address.
  private func network(_ address: AdminAddress, _ certificates: ServedCertificates) -> any Service {
    let channel = ExchangeChannel(
      responder: { request in
        // This does not run on the connection's event loop, which also serves logins: a store may do its work on the caller's
        // thread.
        await withTaskExecutorPreference(globalConcurrentExecutor) {
          if APIResponder.isAPI(request.path) { return await api.response(to: request) }
          return SCIMResponder.isSCIM(request.path) ? await scim.response(to: request) : await console(request)
        }
      }, limits: limits(handshake: patience.handshake),
      maximumBody: { head in
        SCIMResponder.isSCIM(head.uri)
          ? SCIMResponder.maximumBody : ConsoleResponder.maximumBody(head.method, head.uri)
      })
    let server = ServedTLSChannel(base: channel, certificates: certificates).server(
      configuration: ServerConfiguration(address: .hostname(address.host, port: address.port)),
      onServerRunning: { [logger] channel in
        logger.notice("administration", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
      }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    return AdministrationListener(server: server, address: address.listen)
  }

  /// The service on the socket of a state folder.
  ///
  /// - Returns: nil, after a line in the log, if a different server uses the socket, or if its path is too long.
  private func local(path: String) -> (any Service)? {
    guard let address = ListenAddress(argument: "unix:\(path)") else {
      logger.notice("no-admin-socket", metadata: ["reason": "the path of the state folder is too long for a socket"])
      return nil
    }
    do throws(ServerError) {
      try ProxySocket(path: path).prepare()
    } catch {
      logger.notice("no-admin-socket", metadata: ["reason": "\(error.description)"])
      return nil
    }
    let server = LocalChannel(responder: api, limits: limits(handshake: nil)).server(
      configuration: ServerConfiguration(address: .unixDomainSocket(path: path)),
      onServerRunning: { [logger] _ in
        do throws(ServerError) {
          try ProxySocket(path: path).open(mode: 0o600)
        } catch {
          logger.error("failed", metadata: ["error": "\(error.description)"])
        }
      }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    return AdministrationListener(server: server, address: address, logger: logger)
  }

  private func limits(handshake: TimeAmount?) -> @Sendable (any EventLoop) -> [any ExchangeObserver] {
    let connections = Connections(maximum: 0, maximumOfAll: Self.maximum)
    let notices = RateLimiter(.init(perMinute: 1))
    return { [proxies, patience, logger] loop in
      [
        ConnectionPlace(connections, proxies: proxies, notices: notices, logger: logger, handshake: handshake),
        ExchangeDeadline(patience.exchange, idle: patience.idle, on: loop),
      ]
    }
  }
}

/// One address at which administration is served.
struct AdministrationListener: Service {
  let server: any Service
  let address: ListenAddress
  /// The logger for a failure to listen, after which the server runs without this listener; nil if it must not.
  var logger: Logger?

  /// Serves until the server stops.
  ///
  /// - Throws: ``ServerError/cannotListen(address:errorNumber:)``, unless ``logger`` is set.
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

/// How long a listener waits for its clients.
struct ListenerPatience: Sendable {
  static let standard = ListenerPatience(
    handshake: ConnectionPlace.standardHandshake, exchange: ExchangeDeadline.standard,
    idle: ExchangeDeadline.standardIdle)

  /// For the TLS handshake.
  let handshake: TimeAmount
  /// For a request and its answer.
  let exchange: TimeAmount
  /// For the next byte of a request.
  let idle: TimeAmount
}

/// Answers the requests of the console.
struct ConsoleResponder: Sendable {
  /// The most sign-ins that an address may start in a minute, on average; twice as many in a burst.
  private static let signInRate: Int64 = 10
  /// The most requests without a session from an address in a minute, on average; twice as many in a burst.
  private static let anonymousRate: Int64 = 120

  private let console: Console
  private let proxies: TrustedProxies

  /// - Parameter port: the console's port, from whose pages passkeys are accepted too; nil for none.
  init(
    _ service: ServiceEnvironment, _ administration: AdministrationEnvironment, _ guarding: PasskeyGuard,
    facts: ServerFacts, port: Int?, proxies: TrustedProxies, logger: Logger
  ) {
    let signIns = RateLimiter(.init(perMinute: Self.signInRate))
    let anonymous = RateLimiter(.init(perMinute: Self.anonymousRate))
    console = Console(
      ConsoleEnvironment(
        administration: administration, keys: service.keys,
        passkeys: PasskeyService(environment: service, furtherPort: port), passkeyGuard: guarding,
        publicURL: { try service.identity().publicURL },
        admitsSignIn: { signIns.admits($0, now: service.now()) },
        allowsAnonymous: { anonymous.admits($0, now: service.now()) }, timeText: { SecondText.iso8601.text(at: $0) },
        readTime: { TypedTime(argument: $0)?.seconds },
        version: ServerVersion.current, facts: facts,
        report: { error in
          logger.error(
            "failed",
            metadata: ["by": "console", "error": "\((error as? any StoreFailure)?.logName ?? "\(type(of: error))")"])
        }))
    self.proxies = proxies
  }

  /// How many bytes the body of a request may have; forms that upload a list may have more.
  static func maximumBody(_ method: HTTPMethod, _ path: String) -> Int {
    method == .POST && UploadLimit.paths.contains(path) ? UploadLimit.form : RequestBody.maximum
  }

  @Sendable func response(to request: WebRequest) async -> WebResponse {
    let limit = Self.maximumBody(request.method, request.path)
    guard !RequestBody.announcesTooMuch(request.headers, limit: limit), request.body.readableBytes <= limit else {
      return WebResponse(status: .payloadTooLarge, isLast: true)
    }
    let address = proxies.client(of: request.headers, from: request.peer)
    return await console.response(
      to: request, from: address?.ipAddress ?? "", countedAs: address.flatMap(Admission.name) ?? "")
  }
}
