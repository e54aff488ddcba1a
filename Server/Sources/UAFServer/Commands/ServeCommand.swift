import ArgumentParser
import Foundation
import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UAFConsole
import UAFCrypto
import UAFService
import UnixSignals

/// `uaf-server serve`: answers requests until a signal stops it.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve UAF requests over HTTPS.",
    discussion: """
      Prints 'listening on URL' on standard output as soon as it accepts connections; logs to standard error. On \
      SIGTERM or SIGINT it finishes the requests that it is processing, and ends. The AppID to which keys are bound \
      is URL/uaf/facets: keep the URL and its port when you start the server again.
      """)

  @OptionGroup var state: StateOption
  @Flag(help: "Accept several hosts in --store without a synchronous standby; a failover may then lose logins.")
  var allowAsynchronous = false
  @Option(
    help: "HOST:PORT to listen on, port 0 lets the system choose; or unix:PATH for HTTP from a proxy on this machine.")
  var listen = ListenAddress.standard
  @Option(help: "Base URL that clients use (default: from --listen).") var publicURL: PublicURL?
  @Flag(help: "Accept a decoy.secret that this store was not used with; names without keys then get other decoys.")
  var newDecoys = false
  @Flag(help: "Accept an audit.key that did not sign this store's audit; a row audit-broken then records that.")
  var newAuditKey = false
  @Flag(help: "Make a certificate authority and a certificate in the state folder if there is none.")
  var development = false
  @Option(help: "Certificate chain, PEM.", completion: .file()) var certificate: String?
  @Option(help: "Private key, PEM, readable only by its owner.", completion: .file()) var key: String?
  @Option(help: "An additional FacetID to trust; may be repeated.") var facet: [String] = []
  @OptionGroup var metadata: MetadataOption
  @Option(
    help: ArgumentHelp(
      "Policy file, instead of the policies that 'policy set' saves: which authenticators everybody and groups use."),
    completion: .file())
  var policy: String?
  @Option(help: "How strictly a client's channel binding is checked: require, check (only if it is sent), or off.")
  var channelBinding = ChannelBindingPolicy.check
  @Option(
    help: "A certificate that clients see if a proxy terminates TLS, PEM; may be repeated.", completion: .file())
  var tlsCertificate: [String] = []
  @Option(help: "Whether a client is asked how it verified the person (fido.uaf.uvm): off, ask, or require.")
  var uvm = VerificationMethodPolicy.off

  @Option(
    help: ArgumentHelp(
      "Addresses of proxies whose information about the client's address is trusted; may be repeated.",
      valueName: "address/bits"))
  var behind: [AddressRange] = []
  @Option(
    help: ArgumentHelp(
      "The header in which those proxies name the client: x-forwarded-for or forwarded. The other is ignored."))
  var forwardedHeader = ForwardedHeader.xForwardedFor

  @OptionGroup var limits: LimitOptions

  @Option(help: ArgumentHelp("Also serve /metrics, /livez and /readyz there, without TLS.", valueName: "host:port"))
  var metricsListen: ListenAddress?
  @Option(
    help: ArgumentHelp(
      "Serve the API and the console there, over TLS; just a PORT listens only on this machine.", valueName: "host:port"
    ))
  var adminListen: AdminAddress?
  @OptionGroup var auditOutput: AuditOutputOptions

  func validate() throws {
    guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key go together.") }
    try validateTLS()
    guard publicURL != nil || listen.host != nil else {
      throw ValidationError("--listen names no host: give the URL that clients use with --public-url.")
    }
    guard adminListen == nil || listen.path == nil else {
      throw ValidationError("--admin-listen needs this server's certificate, and --listen unix:PATH has none.")
    }
    guard metricsListen?.path == nil else { throw ValidationError("--metrics-listen takes HOST:PORT.") }
  }

  private func validateTLS() throws {
    guard channelBinding != .off || tlsCertificate.isEmpty else {
      throw ValidationError("--tls-certificate has no effect with --channel-binding off.")
    }
    guard listen.path == nil else {
      guard !development, certificate == nil else {
        throw ValidationError("On a Unix socket TLS ends at the proxy, which has certificate and key.")
      }
      guard channelBinding == .off || !tlsCertificate.isEmpty else {
        throw ValidationError("Give the proxy's certificate with --tls-certificate, or --channel-binding off.")
      }
      return
    }
    guard development != (certificate != nil) else {
      throw ValidationError("Give either --development, or --certificate and --key.")
    }
  }

  func run() async throws {
    LoggingSystem.bootstrap { _ in KeyValueLogHandler() }
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    let models = try metadata.models()
    let policies = CurrentPolicies(try policy.map { try PolicyFile(path: $0).policies(models) }, models: models)
    let directory = try state.open(create: true)
    let store = try state.openStore(in: directory, create: true, allowsAsynchronous: allowAsynchronous)
    let certificates = try ServedCertificates(others: tlsCertificate, own: ownCertificate(in: directory))
    let facets = [ServerIdentity.pamModuleFacet] + facet
    // Made only to report at once, and not at the first request, a certificate that has no hash for channel binding.
    _ = try ServerIdentity(
      publicURL: "", facets: facets, certificates: certificates.visible.map(\.der), channelBinding: channelBinding)
    let keys = try StateLock.wait(for: directory) { try ServerKeys(state: directory, now: { Terminal.now }) }
    try await check(store, keys, directory)
    let identity = IdentityBox()
    let shapes = try await KeyShapeKeeper(from: store)
    let passkeyShapes = try await KeyShapeKeeper(of: .passkeys, from: store)
    let metrics = ServerMetrics()
    let environment = ServiceEnvironment(
      store: MeteredStore(store: store, metrics: metrics.store), keys: keys, models: models, policies: policies.value,
      verificationMethods: uvm, shapes: shapes, passkeyShapes: passkeyShapes,
      machinePolicies: MachinePolicyService(store: store, keys: keys, now: { Terminal.now }),
      identity: { try identity.value() }, now: { Terminal.now }, random: { try RandomBytes.make($0) })
    let logger = Logger(label: "uaf-server")
    let manager = ServiceManager(
      environment: ProcessInfo.processInfo.environment, process: getpid(), loops: MultiThreadedEventLoopGroup.singleton)
    let start = ServerStart(
      listen: listen, publicURL: publicURL, facets: facets, certificates: { certificates.visible.map(\.der) },
      channelBinding: channelBinding, identity: identity, manager: manager, store: store,
      shapes: [shapes, passkeyShapes], logger: logger
    )
    try start.prepare()
    let followers = try await followers(of: store, policies, environment, logger)
    let watch = StoreWatch(store, logger: logger, now: { Terminal.now })
    let refusals = RefusalCount()
    let routes = routes(environment, watch, metrics, refusals, logger)
    let renewal = CertificateReload(
      certificates: certificates, identity: identity, host: publicURL?.host ?? listen.host,
      served: environment.served, logger: logger)
    environment.served.set(certificates.chain)
    let reload = KeyReload(
      keys: keys, state: directory, manager: manager, store: store, certificates: renewal, logger: logger,
      hangups: hangups)
    let keeper = try keeper(environment, directory, refusals, logger)
    let deliverers = try auditOutput.deliverers(from: store, metrics.deliveries, logger)
    let listeners = try listeners(routes, metrics, certificates, start, directory)
    let trust = TrustFollower(
      figures: metrics.trust, store: store, keys: keys, served: environment.served, now: { Terminal.now })
    try await run([keeper, watch, reload, trust] + followers + deliverers + listeners, manager, logger)
  }

  /// Refuses a store that was used with other keys than those in the state folder.
  private func check(_ store: any ServerStore, _ keys: ServerKeys, _ directory: ServerDirectory) async throws {
    try await DecoySecretCheck.run(keys.decoySecret, of: store, directory, allowsNew: newDecoys)
    if !newAuditKey { try await AuditKeyCheck.run(store, directory) }
  }

  /// The services that watch the store for changes by other processes.
  ///
  /// Each has read the store once when this returns.
  private func followers(
    of store: any ServerStore, _ policies: CurrentPolicies, _ environment: ServiceEnvironment, _ logger: Logger
  ) async throws -> [any Service] {
    let policies = PolicyFollower(store: store, policies: policies, logger: logger)
    try await policies.prepare()
    let departures = DepartureFollower(departed: environment.departed, store: store, keys: environment.keys)
    try await departures.prepare()
    let machinePolicies = MachinePolicyFollower(policies: environment.machinePolicies)
    try await machinePolicies.prepare()
    return [policies, departures, machinePolicies]
  }

  private func routes(
    _ environment: ServiceEnvironment, _ watch: StoreWatch, _ metrics: ServerMetrics, _ refusals: RefusalCount,
    _ logger: Logger
  ) -> UAFRoutes {
    UAFRoutes(
      environment: environment, logger: logger,
      admission: limits.admission, proxies: proxies, watch: watch,
      metrics: metrics, refusals: refusals)
  }

  /// The service that signs the audit; of all services it is stopped last.
  private func keeper(
    _ environment: ServiceEnvironment, _ directory: ServerDirectory, _ refusals: RefusalCount, _ logger: Logger
  ) throws -> AuditKeeper {
    let files = AuditHeadFiles(state: directory, list: auditOutput.auditHeads)
    let digest = try policy.map { try SHA256.hash(PolicyFile(path: $0).bytes()) }
    let now = environment.now()
    let published = try PublicKeyFile.auditHeadKeys(path: directory.auditPublicKeyPath)
    return AuditKeeper(
      store: environment.store, keys: environment.keys, published: published, files: files, refusals: refusals,
      start: ServerEvents.start(
        version: ServerVersion.current, keys: KeyList.text(environment.keys, now: now), policy: digest, now: now),
      last: try files.last(published)?.link, standing: environment.auditStanding, logger: logger, now: environment.now)
  }

  /// The services that accept connections.
  private func listeners(
    _ routes: UAFRoutes, _ metrics: ServerMetrics, _ certificates: ServedCertificates, _ start: ServerStart,
    _ directory: ServerDirectory
  ) throws -> [any Service] {
    let connections = Connections(
      maximum: limits.addressConnections, maximumOfAll: ServerProcess.connections(atMost: Connections.maximumOfAll))
    let page = MetricsRoutes(
      metrics: metrics, health: routes.health, connections: connections, unknown: routes.environment.unknown,
      troubles: routes.environment.troubles,
      certificateEnds: { certificates.ends })
    let logins = try listener(routes, connections, certificates, start)
    let facts = ServerFacts(
      listeners: [
        (.logins, listen.description), (.administration, adminListen?.listen.description),
        (.metrics, metricsListen?.description),
      ].compactMap { name, address in address.map { (name, $0) } }, certificateEnds: page.certificateEnds,
      store: state.store == nil ? "SQLite" : "PostgreSQL",
      keys: { [keys = routes.environment.keys] in KeyList.facts(keys, now: $0) })
    let administration = AdministrationListeners(
      routes, directory, facts: facts, port: adminListen?.listen.port, proxies: proxies,
      logger: start.logger
    ).services(at: adminListen, certificates)
    // They are stopped in reverse order, logins first, so that a reader of the metrics page cannot delay the end of logins.
    return administration + [MetricsListener(metricsListen, page, logger: start.logger)].compactMap { $0 } + [logins]
  }

  /// The service that accepts the connections of logins.
  private func listener(
    _ routes: UAFRoutes, _ connections: Connections, _ certificates: ServedCertificates, _ start: ServerStart
  ) throws -> any Service {
    if let path = listen.path {
      umask(0o077)
      try ProxySocket(path: path).prepare()
    }
    let address: BindAddress =
      switch listen {
      case .network(let host, let port): .hostname(host, port: port)
      case .unixSocket(let path): .unixDomainSocket(path: path)
      }
    let channel = channel(
      routes, connections, handshake: certificates.tls == nil ? nil : ConnectionPlace.standardHandshake, start)
    let configuration = ServerConfiguration(address: address, backlog: Connections.maximumOfAll)
    guard certificates.tls != nil else { return server(of: channel, configuration, start) }
    return server(of: ServedTLSChannel(base: channel, certificates: certificates), configuration, start)
  }

  private func server(
    of channel: some ServerChildChannel, _ configuration: ServerConfiguration, _ start: ServerStart
  ) -> any Service {
    channel.server(
      configuration: configuration, onServerRunning: { channel in await start.announce(channel) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: start.logger)
  }

  /// The handlers of an HTTP connection, with its limits.
  ///
  /// The limits prevent a client from keeping a connection forever, and an address from keeping all connections.
  ///
  /// Every connection is accepted: to clients that wait in the system's queue, the server would seem to be down.
  private func channel(
    _ routes: UAFRoutes, _ connections: Connections, handshake: TimeAmount?, _ start: ServerStart
  ) -> ExchangeChannel {
    let notices = RateLimiter(.init(perMinute: 1))
    return ExchangeChannel(
      responder: routes.response(to:),
      limits: { [proxies, logger = start.logger] loop in
        [
          ConnectionPlace(connections, proxies: proxies, notices: notices, logger: logger, handshake: handshake),
          ExchangeDeadline(on: loop),
        ]
      })
  }

  /// Runs until a signal arrives, and then for at most five seconds, even if a client keeps an idle connection open.
  private func run(_ services: [any Service], _ manager: ServiceManager, _ logger: Logger) async throws {
    let (ends, end) = AsyncThrowingStream<Void, any Error>.makeStream()
    let deadline = StopDeadline(limit: StopDeadline.standard) {
      logger.notice("dropped the requests that were still in progress")
      end.finish()
    }
    // They are stopped in reverse order: so the deadline starts first, and then systemd is told.
    var configuration = ServiceGroupConfiguration(
      services: services + [manager, deadline], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(3)
    let group = ServiceGroup(configuration: configuration)
    Task {
      do {
        try await group.run()
        end.finish()
      } catch { end.finish(throwing: error) }
    }
    do {
      for try await _ in ends {}
    } catch let error as IOError {
      throw ServerError.cannotListen(address: listen.description, errorNumber: error.errnoCode)
    } catch is CancellationError {
      logger.notice("closed idle connections")
    }
  }

  private var proxies: TrustedProxies { TrustedProxies(behind, header: forwardedHeader) }

  /// A function that reads the server's own certificate, at the start and at each reload; it returns nil if a proxy terminates
  /// TLS.
  private func ownCertificate(in directory: ServerDirectory) -> @Sendable () throws -> CertificateFiles? {
    guard listen.path == nil else { return { nil } }
    if let certificate, let key {
      return { try CertificateFiles(certificatePath: certificate, privateKeyPath: key) }
    }
    let hosts = [publicURL?.host, listen.host].compactMap { $0 }
    return { try CertificateFiles(development: directory, hosts: hosts, now: Terminal.now) }
  }
}

/// The options that limit the requests and connections of `serve`.
struct LimitOptions: ParsableArguments {
  @Option(help: "Requests from one address per minute; twice as many in a burst; 0 for no limit.")
  var addressRate = Admission.standardAddressRate
  @Option(help: "Requests for one account per minute; twice as many in a burst; 0 for no limit.")
  var accountRate = Admission.standardAccountRate

  @Option(
    help: ArgumentHelp(
      "Connections that one address may have at the same time; beyond that, an idle one is closed. 0 for no limit. "
        + "All loopback addresses count as one."))
  var addressConnections = Connections.standardMaximum

  func validate() throws {
    guard (0...1_000_000).contains(addressRate), (0...1_000_000).contains(accountRate) else {
      throw ValidationError("--address-rate and --account-rate must be 0 to 1000000.")
    }
    guard (0...Connections.maximumOfAll).contains(addressConnections) else {
      throw ValidationError("--address-connections must be 0 to \(Connections.maximumOfAll).")
    }
  }

  /// The limits of requests.
  var admission: Admission { Admission(addressRate: addressRate, accountRate: accountRate) }
}

extension PageLanguage: ExpressibleByArgument {}
