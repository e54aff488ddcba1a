import ArgumentParser
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle
import UAFCrypto
import UAFService
import UnixSignals

/// `uaf-server serve`: answers requests until a signal stops it.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve UAF requests over HTTPS.",
    discussion: """
      Prints 'listening on URL' on standard output as soon as it accepts connections; logs to standard error. SIGTERM \
      and SIGINT end it after the requests under way. The AppID that keys are bound to is URL/uaf/facets: keep the \
      URL, and with it the port, when you start the server again.
      """)

  @OptionGroup var state: StateOption
  @Option(help: "HOST:PORT to listen on; port 0 lets the system choose.")
  var listen = ListenAddress.standard
  @Option(help: "Base URL that clients use (default: from --listen).") var publicURL: PublicURL?
  @Flag(help: "Make a certificate authority and a certificate in the state folder if none is there.")
  var development = false
  @Option(help: "Certificate chain, PEM.", completion: .file()) var certificate: String?
  @Option(help: "Private key, PEM, readable by its owner alone.", completion: .file()) var key: String?
  @Option(help: "A further FacetID to trust; may be repeated.") var facet: [String] = []
  @Option(
    help: "Folder of metadata statements of further authenticator models, one .json file each.",
    completion: .directory)
  var metadata: String?
  @Option(
    help: "File of policies: which authenticators, alone or together, everybody and groups of accounts use.",
    completion: .file())
  var policy: String?
  @Option(help: "What is asked of a client's channel binding: require, check what is sent, or off.")
  var channelBinding = ChannelBindingPolicy.check
  @Option(
    help: "A certificate that clients see where TLS ends elsewhere, PEM; may be repeated.", completion: .file())
  var tlsCertificate: [String] = []
  @Option(help: "Whether a client is asked how it verified the person (fido.uaf.uvm): off, ask, or require.")
  var uvm = VerificationMethodPolicy.off

  @Option(help: "Requests of one address in a minute; twice as many at once; 0 for no limit. Loopback has none.")
  var addressRate = Admission.standardAddressRate
  @Option(help: "Requests for one account in a minute; twice as many at once; 0 for no limit.")
  var accountRate = Admission.standardAccountRate

  @Option(
    help: ArgumentHelp(
      "Connections of one address at once; beyond, one that was quiet for long is closed. 0 for no limit. "
        + "Loopback has none."))
  var addressConnections = Connections.standardMaximum

  func validate() throws {
    guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key go together.") }
    guard development != (certificate != nil) else {
      throw ValidationError("Give either --development, or --certificate and --key.")
    }
    guard publicURL != nil || !listen.isWildcard else {
      throw ValidationError("--listen names every interface: say with --public-url what clients use.")
    }
    guard (0...1_000_000).contains(addressRate), (0...1_000_000).contains(accountRate) else {
      throw ValidationError("--address-rate and --account-rate must be 0 to 1000000.")
    }
    guard (0...Connections.maximumOfAll).contains(addressConnections) else {
      throw ValidationError("--address-connections must be 0 to \(Connections.maximumOfAll).")
    }
    guard channelBinding != .off || tlsCertificate.isEmpty else {
      throw ValidationError("--tls-certificate is of no use with --channel-binding off.")
    }
  }

  func run() async throws {
    LoggingSystem.bootstrap { _ in KeyValueLogHandler() }
    let models = try models()
    let policies = try policies(models)
    let directory = try state.open(create: true)
    let store = try directory.openStore(create: true)
    let files = try certificateFiles(in: directory)
    let certificates = try visibleCertificates(own: files)
    let facets = [ServerIdentity.pamModuleFacet] + facet
    // A certificate without a hash for channel binding is an error now, not at the first request.
    _ = try ServerIdentity(publicURL: "", facets: facets, certificates: certificates, channelBinding: channelBinding)
    let identity = IdentityBox()
    let shapes = try await KeyShapeKeeper(from: store)
    let environment = ServiceEnvironment(
      store: store, keys: try ServerKeys(state: directory), models: models, policies: policies,
      verificationMethods: uvm, shapes: shapes, identity: { try identity.value() }, now: { Terminal.now },
      random: { try RandomBytes.make($0) })
    let logger = Logger(label: "uaf-server")
    let start = ServerStart(
      listen: listen, publicURL: publicURL, facets: facets, certificates: certificates, channelBinding: channelBinding,
      identity: identity, store: store, shapes: shapes, logger: logger)
    let admission = Admission(addressRate: addressRate, accountRate: accountRate)
    let router = UAFRoutes(environment: environment, logger: logger, admission: admission).router
    let application = Application(
      router: router, server: try server(files, answering: router.buildResponder(), logger: logger),
      configuration: .init(
        address: .hostname(listen.host, port: listen.port), backlog: Connections.maximumOfAll),
      onServerRunning: { channel in await start.announce(channel) }, logger: logger)
    try await run(application, logger: logger)
  }

  /// HTTP over TLS.
  ///
  /// No client can hold a connection for ever, and no address can hold all connections.
  ///
  /// Every connection is accepted. In the system's queue it would look like a connection to a server that is away.
  private func server(
    _ files: CertificateFiles, answering responder: Exchange.Responder, logger: Logger
  ) throws -> HTTPServerBuilder {
    let connections = Connections(
      maximum: addressConnections, maximumOfAll: ServerProcess.connections(atMost: Connections.maximumOfAll))
    let notices = RateLimiter(.init(perMinute: 1))
    let channel = ExchangeChannel(
      responder: responder,
      limits: { [ConnectionPlace(connections, notices: notices, logger: logger), ExchangeDeadline()] },
      idleTimeout: .seconds(30))
    let tls = try files.tlsConfiguration()
    return HTTPServerBuilder { _ in try TLSChannel(channel, tlsConfiguration: tls) }
  }

  /// Runs until a signal; a client that keeps an idle connection open does not keep the server from stopping.
  private func run(_ application: some ApplicationProtocol, logger: Logger) async throws {
    var configuration = ServiceGroupConfiguration(
      services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(3)
    do {
      try await ServiceGroup(configuration: configuration).run()
    } catch let error as IOError {
      throw ServerError.cannotListen(address: "\(listen.host):\(listen.port)", errorNumber: error.errnoCode)
    } catch is CancellationError {
      logger.notice("closed idle connections")
    }
  }

  private func models() throws -> AuthenticatorModels {
    try metadata.map { try MetadataFolder(path: $0).models() } ?? .projectOwn()
  }

  private func policies(_ models: AuthenticatorModels) throws -> AccountPolicies {
    guard let policy else { return AccountPolicies(everybody: AcceptedSets(each: models)) }
    return try PolicyFile(path: policy, models: models).policies()
  }

  /// The certificates that clients see: the server's own, unless a proxy in front of it has others.
  private func visibleCertificates(own: CertificateFiles) throws -> [[UInt8]] {
    guard !tlsCertificate.isEmpty else { return [try own.leaf()] }
    return try tlsCertificate.map { try CertificateFiles.leaf(path: $0) }
  }

  private func certificateFiles(in directory: ServerDirectory) throws -> CertificateFiles {
    if let certificate, let key { return try CertificateFiles(certificatePath: certificate, privateKeyPath: key) }
    let hosts = [publicURL?.host, listen.isWildcard ? nil : listen.host].compactMap { $0 }
    return try CertificateFiles(development: directory, hosts: hosts, now: Terminal.now)
  }
}
