// Purpose of this target: the checks of `uafctl doctor` as values. Each looks at one part of this machine, or sends the server
// a request that changes nothing there. Its findings say in two languages what to do. No check changes anything or asks a
// person. The state of accounts comes from a `StatusSource`. It may not import UAFTool, ArgumentParser, Invocation or
// TerminalPrompts.

import Glibc
import HostSystem
import PAMStacks
import UAFClient
import UAFConfiguration

/// All checks of `uafctl doctor`, in their order.
package struct Examination {
  private let installation: Installation
  private let core: any StatusSource
  private let accounts: any AccountDirectory
  private let isRoot: Bool
  private let folder: String
  private let startsSessions: Bool
  private let isForReport: Bool
  private let configuration: ConfigurationCheck

  /// - Parameters:
  ///   - core: the source of the state of accounts.
  ///   - accounts: the directory in which names are looked up.
  ///   - configuration: the configuration that root named; nil for the machine's.
  ///   - folder: the folder of the PAM services.
  ///   - startsSessions: whether the shells of the members of the rescue group are started, which run their own files.
  ///   - isForReport: whether only the failures are wanted, for the server. Then the server is not examined, because it gets
  ///     the report, and thousands of machines make one each hour. The members of the rescue group are not tried either: what
  ///     they lack is no failure, and the trial calls other modules of PAM, which may write to the log.
  package init(
    of installation: Installation, core: any StatusSource, accounts: any AccountDirectory, isRoot: Bool,
    configuration: String?, services folder: String, startsSessions: Bool = false, isForReport: Bool = false
  ) {
    self.installation = installation
    self.core = OwnStatus(core)
    self.accounts = accounts
    self.isRoot = isRoot
    self.folder = folder
    self.startsSessions = startsSessions
    self.isForReport = isForReport
    self.configuration = ConfigurationCheck(
      given: configuration, standard: installation.configurationPath, owner: installation.owner, isRoot: isRoot)
  }

  /// Runs one check after the other, so that quick checks do not wait for the server.
  ///
  /// - Parameter tell: called with the findings of a check before the next one begins.
  /// - Returns: everything that was found.
  package func run(telling tell: ([Finding]) -> Void) -> [Finding] {
    var findings: [Finding] = []
    for check in checks() {
      let found = check()
      findings += found
      tell(found)
    }
    return findings
  }

  private func checks() -> [() -> [Finding]] {
    let (found, configuration) = configuration.run()
    let trust = configuration.map {
      TrustCheck(configuration: $0, path: self.configuration.path, owner: installation.owner, isRoot: isRoot).run()
    }
    return [
      { Self.programs(of: installation) },
      { MachineCheck(facts: installation.facts()).findings() },
      { SocketCheck(path: installation.socketPath, owner: installation.owner).findings() },
      { CoreCheck(core: core, isRoot: isRoot).findings() },
      { found + (trust?.findings ?? []) },
      { state(configuration) },
      { people(configuration) },
      { stacks(configuration) },
      {
        Self.ssh(of: installation, services: folder, isRoot: isRoot, accounts: accounts) {
          configuration.map { installation.registered($0.state.directory) } ?? []
        }
      },
      { isForReport ? [] : server(trust?.server) },
    ]
  }

  /// The failures that prevent every login, among the parts on this machine: programs, configuration and state.
  ///
  /// Neither the server nor the core is asked: both may become available later.
  package static func failures(of installation: Installation) -> [Finding] {
    let (found, configuration) = ConfigurationCheck(
      given: nil, standard: installation.configurationPath, owner: installation.owner, isRoot: true
    ).run()
    let state = configuration.map { Self.state(of: installation, $0, isRoot: true) } ?? []
    return (programs(of: installation) + found + state).filter { $0.level == .failure }
  }

  private static func programs(of installation: Installation) -> [Finding] {
    [("helper", installation.helperPath), ("fetch", installation.fetchPath)].flatMap { name, path in
      ProgramCheck(
        name: name, path: path, owner: installation.owner, version: { installation.output($0, ["--version"]) }
      ).findings()
    }
  }

  /// The configuration says where the state folder is.
  private func state(_ configuration: Configuration?) -> [Finding] {
    guard let configuration else { return [.skipped(StateText.unknown)] }
    return Self.state(of: installation, configuration, isRoot: isRoot)
  }

  private static func state(
    of installation: Installation, _ configuration: Configuration, isRoot: Bool
  ) -> [Finding] {
    StateCheck(
      folder: configuration.state.directory, owner: installation.owner, isRoot: isRoot, chip: configuration.tpm,
      isReadOnly: installation.isReadOnly, isFixed: installation.isFixed, shortage: installation.shortage
    ).findings()
  }

  private func people(_ configuration: Configuration?) -> [Finding] {
    guard let state = configuration?.state else { return [] }
    return PeopleCheck(
      core: core, accounts: accounts, folder: state.directory, registered: installation.registered, isRoot: isRoot,
      asksForStates: { PAMCheck.asksForStates(in: folder) }
    ).findings()
  }

  private func stacks(_ configuration: Configuration?) -> [Finding] {
    let ssh = installation.readSSH()
    return PAMCheck(
      directory: folder, moduleFolders: installation.moduleFolders, vendorFolders: installation.vendorPAMFolders,
      owner: installation.owner, passwords: installation.passwords, isRoot: isRoot, accounts: accounts,
      tester: installation.tester, trialParent: installation.trialParent,
      hidesState: { Self.hidesRegistrations(from: $0, of: ssh, by: configuration) },
      today: CalendarDay(at: Int64(installation.facts().time)), unregistered: unregistered,
      contradiction: { contradiction(of: $0, $1, to: configuration) },
      canAskStates: canAskStates(configuration), sudo: installation.readSudoers(),
      ssh: ssh, displayManagers: installation.readDisplayManagers(), startsSessions: startsSessions,
      triesRescuers: !isForReport
    ).findings()
  }

  /// Those among some people who could not log in with the module; nil if that is not known or, in a report, not wanted.
  private func unregistered(_ names: [String]) -> [String]? {
    guard isRoot, !isForReport else { return nil }
    let registered = RegisteredAccounts(of: installation, accounts: accounts, core: core)
    return names.filter { !registered.has($0) }
  }

  /// Why a line's arguments contradict the configuration that the line uses: the one that it names or, if it names none, this
  /// one.
  ///
  /// Also says why the one that it names cannot be used.
  private func contradiction(
    of arguments: ModuleArguments, _ service: String, to configuration: Configuration?
  ) -> ConfigurationError? {
    do throws(ConfigurationError) {
      let named = try arguments.configurationPath.map { (path) throws(ConfigurationError) in
        try Configuration.load(
          path: path, defaultPath: installation.configurationPath, requiredOwner: installation.owner)
      }
      try (named ?? configuration)?.check(arguments, service: service)
      return nil
    } catch {
      if !isRoot, case .file(_, .system(EACCES)) = error { return nil }
      return error
    }
  }

  /// Whether the account stage can ask for an account's state, and trust the answer.
  private func canAskStates(_ configuration: Configuration?) -> Bool {
    guard let server = configuration?.server else { return false }
    let url = server.authentication.requestURL ?? server.requestURL
    return server.requiresSignedVerdict && url.flatMap { OwnRoute.account.url(beside: $0.text) } != nil
  }

  /// What sshd does with a stack that asks for the passcode; empty if there is no sshd or no such stack.
  ///
  /// - Parameters:
  ///   - folder: the folder of the PAM services.
  ///   - accounts: the directory in which names are looked up.
  ///   - registered: the uids of accounts that are registered.
  package static func ssh(
    of installation: Installation, services folder: String, isRoot: Bool, accounts: any AccountDirectory,
    registered: () -> [uid_t] = { [] }
  ) -> [Finding] {
    let passwords = installation.passwords
    let reading = installation.sshConfiguration.reading(isRoot: isRoot) {
      let registered = registered().compactMap { accounts.account(withID: $0) }
      let local = passwords.localAccounts().filter { passwords.password(of: $0) == .usable }
      let names =
        (passwords.members(ofGroup: WayIn.rescueGroup) ?? [])
        + registered.map { String(decoding: $0.name, as: UTF8.self) } + local
        + [accounts.account(withID: 0).map { String(decoding: $0.name, as: UTF8.self) } ?? "root"]
      return names.indices.filter { names.firstIndex(of: names[$0]) == $0 }.map { names[$0] }
    }
    return SSHCheck(
      reading: reading, reader: PAMDirectory(path: folder, vendors: installation.vendorPAMFolders),
      services: installation.readSSH(), accounts: accounts, passwords: passwords, isRoot: isRoot
    ).findings()
  }

  /// Why a stack that root enables for sshd now could not work, by sshd's settings for everybody; nil if nothing is known
  /// against it.
  package static func sshObstacle(of installation: Installation, isSecondFactor: Bool) -> SSHProblem? {
    guard case .read(let known) = installation.sshConfiguration.reading(isRoot: true, people: { [] }) else {
      return nil
    }
    return SSHCheck.obstacle(by: known.everybody, isSecondFactor: isSecondFactor).map { text in
      .settings(english: text.english, korean: text.korean)
    }
  }

  /// Whether the module hides from everybody who asks for a service whether an account is registered: by root's configuration or,
  /// for a service of sshd, by default.
  ///
  /// Without a usable configuration the default decides.
  package static func hidesRegistrations(from service: String, on installation: Installation) -> Bool {
    let configuration = ConfigurationCheck(
      given: nil, standard: installation.configurationPath, owner: installation.owner, isRoot: true
    ).run().configuration
    return hidesRegistrations(from: service, of: installation.readSSH(), by: configuration)
  }

  private static func hidesRegistrations(
    from service: String, of ssh: SSHServices, by configuration: Configuration?
  ) -> Bool {
    let isRemote = ssh.names.contains(service)
    return configuration?.settings(for: service).general.hidesState(remote: isRemote) ?? isRemote
  }

  /// What the core says that the server has announced; nothing if the core does not answer.
  private var announced: AnnouncedTrust {
    do throws(StatusFailure) { return try core.own().announced } catch { return AnnouncedTrust() }
  }

  /// The findings about the server; empty if no server is known.
  private func server(_ server: ServerSettings?) -> [Finding] {
    guard let server else { return [] }
    return ServerCheck(
      server: server, owner: installation.owner, isRoot: isRoot, announced: announced,
      now: { installation.facts().time }, exchange: installation.exchange
    ).findings()
  }
}

/// A source of the state of accounts that asks the core about the caller's own account only once: several checks read it.
private final class OwnStatus: StatusSource {
  private let source: any StatusSource
  private var answer: Result<StatusDocument, StatusFailure>?

  init(_ source: any StatusSource) { self.source = source }

  func own() throws(StatusFailure) -> StatusDocument {
    if let answer { return try answer.get() }
    let new: Result<StatusDocument, StatusFailure>
    do throws(StatusFailure) { new = .success(try source.own()) } catch { new = .failure(error) }
    answer = new
    return try new.get()
  }

  func status(of account: String) throws(StatusFailure) -> StatusAnswer { try source.status(of: account) }
}
