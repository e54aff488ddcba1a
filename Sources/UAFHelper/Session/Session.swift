import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// One operation for one front end, from *begin* to *finished*.
@safe final class Session {
  let frontEnd: FrontEnd
  let begin: Begin
  private(set) var caller: Caller
  let arguments: ModuleArguments
  let configuration: Configuration
  /// The configuration as it is for the caller's service.
  let settings: ServiceSettings
  let language: Language
  let surroundings: Surroundings
  /// What the person confirms by entering the value; nil where root wants no such text, and for other operations.
  ///
  /// An approval's comes from the server, and so does what the server adds where root lets it.
  var transaction: TransactionText?
  /// Whether the server added that text by itself.
  var isTransactionServers = false
  /// What the server's yes must be signed with, once the server is known; nil where root does not ask for that.
  var verdictKey: [UInt8]?
  /// The server, or why there is none, once that was looked up.
  var foundServer: Result<ServerSettings, Ending>?
  /// The authorities its certificate may come from, PEM; nil where the system's are to be trusted.
  var authorities: String?
  /// The account's file, once it was opened.
  var account: AccountFile? {
    didSet { caller.registeredName = account?.identity.name }
  }
  /// What the kernel's audit is told once the front end knows how it ended.
  var auditRecords: [AuditRecord] = []
  /// Whether the log was told that looser lock options wait (3015).
  var hasToldLockOptions = false
  /// Kept open until the end for accounts that are not there, as the real one is.
  var vainNetwork: Network?
  /// The request that left the machine for such an account.
  var vainFlow: AuthenticationFlow?

  /// Reads what decides everything else: who asks, root's arguments, root's configuration.
  ///
  /// - Throws: ``Ending``; nobody was asked anything yet.
  init(_ begin: Begin, _ frontEnd: FrontEnd, caller: Caller, in surroundings: Surroundings) throws(Ending) {
    self.begin = begin
    self.frontEnd = frontEnd
    self.caller = caller
    do throws(ConfigurationError) {
      arguments = try ModuleArguments(parsing: begin.arguments.map { String(decoding: $0, as: UTF8.self) })
      configuration = try Configuration.load(
        path: arguments.configurationPath, defaultPath: surroundings.configurationPath,
        requiredOwner: surroundings.owner)
      // A peer without root may call itself what it likes: its name selects no section.
      let service = caller.isRoot ? caller.service : nil
      try configuration.check(arguments, service: service)
      settings = configuration.settings(for: service)
    } catch {
      throw .configuration(
        "\(error)", detail: caller.isRoot && caller.isTool ? "\(error)" : nil, isRoots: error.isRoots)
    }
    var surroundings = surroundings
    if configuration.server?.verifiesTLS == false { surroundings.log = UnverifiedServerLog(log: surroundings.log) }
    self.surroundings = surroundings
    try Self.requireSense(begin)
    language = Language.matching(Self.locale(begin), default: settings.general.language)
    // A peer without root says no name: its own text is made once the account is open.
    guard caller.isRoot, begin.operation == .authenticate, begin.payload == nil else { return }
    guard settings.transaction || begin.transaction != nil else { return }
    transaction = try TransactionSource(begin, caller, hostName: surroundings.device.hostName).text(in: charset)
  }

  /// Refuses what goes together in no call: a text is for a login, and what is denied stands in a payload.
  ///
  /// An empty text is refused rather than ignored: a script whose variable is empty would take a mere login for a yes to it.
  ///
  /// - Throws: ``Ending`` (1001).
  private static func requireSense(_ begin: Begin) throws(Ending) {
    let isLogin = begin.operation == .authenticate
    if let text = begin.transaction, text.isEmpty || !isLogin || begin.payload != nil {
      throw Ending(.invalidParameter, log: "a text to be confirmed that is empty, or goes with no login")
    }
    if begin.denies, !isLogin || begin.payload == nil {
      throw Ending(.invalidParameter, log: "a denial without a payload that asks for an approval")
    }
  }

  /// The person's locale, where it is text.
  static func locale(_ begin: Begin) -> String? {
    begin.locale.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// What a text to be confirmed is shown and signed in: letters only where server and terminal have them.
  var charset: TransactionCharset {
    guard let server = try? server(), server.transactionCharset == .utf8 else { return .ascii }
    return Language.hasUTF8(locale: Self.locale(begin)) ? .utf8 : .ascii
  }

  /// Whether wrong, locked, unregistered and unknown must look alike to this caller.
  var hidesState: Bool {
    caller.isRoot && !caller.isTool && settings.general.hidesState(remote: caller.origin == .remote)
  }

  /// Does what was asked.
  func run() throws(Ending) -> Success {
    do throws(Ending) { return try perform() } catch {
      // On the disk before anybody hears of it: who pulls the cable then stays out.
      if error.isServersNo { noteRefusal() }
      throw error
    }
  }

  private func perform() throws(Ending) -> Success {
    try prepare()
    return switch begin.operation {
    case .authenticate: try authenticate()
    case .register: try register()
    case .deregister, .deregisterAll: try deregister()
    case .status: try status()
    case .unlock: try unlock()
    case .initialise: try initialise()
    case .forget: try forget()
    case .trust: try trust()
    case .change: try change()
    case .reset: try reset()
    }
  }

  /// The account's name as it is shown to people.
  var shownName: String {
    Text.cleaned(String(decoding: caller.shownName ?? [], as: UTF8.self), limit: 64)
  }

  /// Writes a line about this session to the log.
  func log(_ event: LogEvent, _ text: String, _ level: LogLevel = .notice) {
    var line = LogLine(event)
    caller.describe(in: &line)
    line.add(.detail, text)
    surroundings.log.write(line, level)
  }
}

extension Caller {
  /// Who and where from, for the log.
  func describe(in line: inout LogLine) {
    line.add(.account, shownName)
    line.add(.uid, uid.map { String($0) })
    line.add(.service, service)
    line.add(.origin, origin.logName)
    line.add(.via, isRoot ? "root" : "socket")
    if !isRoot { line.add(.peer, String(peer)) }
    line.add(.tty, terminal)
    line.add(.rhost, remoteHost)
  }
}
