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
  let caller: Caller
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
  /// The name `/etc/passwd` has for a peer without root.
  var ownName: [UInt8]?
  /// The account's file, once it was opened.
  var account: AccountFile?
  /// What the kernel's audit is told once the front end knows how it ended.
  var auditRecords: [AuditRecord] = []
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
    self.surroundings = surroundings
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
    transaction =
      settings.transaction && begin.operation == .authenticate && begin.payload == nil
      ? try TransactionSource(begin, caller, hostName: surroundings.device.hostName).text() : nil
    language = Language.matching(Self.locale(begin), default: settings.general.language)
  }

  /// The person's locale, where it is text.
  static func locale(_ begin: Begin) -> String? {
    begin.locale.flatMap { String(validating: $0, as: UTF8.self) }
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
    Text.cleaned(String(decoding: caller.name ?? caller.typedName ?? [], as: UTF8.self), limit: 64)
  }

  /// The name in prompts: the one known here, else the uid's.
  func shownName(_ account: AccountFile?) -> String {
    guard let account, caller.name == nil else { return shownName }
    return Text.cleaned(String(decoding: account.identity.name, as: UTF8.self), limit: 64)
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
    line.add(.account, name ?? typedName)
    line.add(.uid, uid.map { String($0) })
    line.add(.service, service)
    line.add(.origin, origin.logName)
    line.add(.via, isRoot ? "root" : "socket")
    if !isRoot { line.add(.peer, String(peer)) }
    line.add(.tty, terminal)
    line.add(.rhost, remoteHost)
  }
}
