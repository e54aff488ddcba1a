import Authenticator
import AuthenticatorTypes
import FidoResults
import Glibc
import UAFConfiguration
import UAFCrypto
import UAFWire

/// One operation for one front end, from *begin* to *finished*: makes the parts, and runs the operation.
@safe final class Session {
  /// Reports how the call ended.
  let reporter: Reporter
  /// Writes the call's lines to the log.
  let log: CallLog

  private let call: Call
  private let policy: CallPolicy
  private let key: DeviceKeySource
  private let folder: StateFolder
  private let prompter: Prompter
  private let server: ServerAccess
  private let locks: LockLog
  private let accounts: AccountAccess
  private let environment: SessionEnvironment
  /// When the front end stops waiting; nil if root's arguments set no limit.
  private let timeLimit: CallTimeLimit?
  /// The fingerprint sensor, once it is known whether this call may use it.
  private var sensor = SensorAccess.none

  /// Reads root's arguments and configuration, on which everything else depends.
  ///
  /// - Throws: ``Ending``; no prompt has been shown yet.
  init(_ begin: Begin, _ frontEnd: FrontEnd, caller: CallerIdentity, in environment: SessionEnvironment)
    throws(Ending)
  {
    call = Call(begin, by: caller)
    policy = try CallPolicy(
      for: call, defaultPath: environment.configurationPath, requiredOwner: environment.owner, now: environment.now
    ) { own in
      PolicyKeeper(own: own, owner: environment.owner) { environment.device.identifier($0) }
    }
    try Self.requireSense(begin)
    let configuration = policy.configuration
    let isVerified = configuration.server?.verifiesTLS != false
    log = CallLog(
      of: call, to: isVerified ? environment.log : UnverifiedServerLog(log: environment.log),
      audit: environment.audit)
    if let note = policy.standing.note { log.write(.serverPolicy, note, .warning) }
    self.environment = environment
    key = DeviceKeySource(configuration.tpm, starting: environment.chip)
    let shares = ChipShares(of: key, policy, log)
    folder = StateFolder(path: configuration.state.directory, owner: environment.owner, key: key, shares: shares)
    timeLimit = policy.arguments.timeout.map { CallTimeLimit($0, now: environment.now) }
    prompter = Prompter(for: call, policy, over: frontEnd, within: timeLimit, keypad: environment.keypad)
    server = ServerAccess(
      for: call, configuration, folder, prompter, device: environment.device, files: policy.keeper.files,
      now: environment.now, connecting: environment.network)
    locks = LockLog(of: call, log)
    accounts = AccountAccess(for: call, policy, folder, shares, server, locks, log, now: environment.now)
    reporter = Reporter(of: call, policy, log, to: frontEnd)
    // A peer that is not root sends no account name. So its text is made later, once the account has been opened.
    guard caller.isRoot, call.isLogin, begin.payload == nil else { return }
    guard policy.settings.transaction || begin.transaction != nil else { return }
    let source = TransactionSource(begin, caller, hostName: environment.device.hostName)
    prompter.confirm(TextToConfirm(text: try source.text(in: server.charset)))
  }

  /// Refuses a text to be confirmed outside a login, and a denial without a payload.
  ///
  /// An empty text is refused too: otherwise a script whose variable is empty by mistake would take a mere login for a
  /// confirmation.
  ///
  /// - Throws: ``Ending`` (1001).
  private static func requireSense(_ begin: Begin) throws(Ending) {
    let isLogin = begin.operation == .authenticate
    if let text = begin.transaction, text.isEmpty || !isLogin || begin.payload != nil {
      throw Ending(.invalidParameter, log: "a text to be confirmed is empty, or is not for a login")
    }
    if begin.denies, !isLogin || begin.payload == nil {
      throw Ending(.invalidParameter, log: "a denial without a payload that asks for an approval")
    }
  }

  /// Runs the operation.
  ///
  /// - Throws: ``Ending`` whenever the operation does not succeed.
  func run() throws(Ending) -> Success {
    do throws(Ending) {
      try prepare()
      let success = try operation().run()
      if !accounts.droppedKeyrings.isEmpty { try prompter.show(.keyringDropped(accounts.droppedKeyrings.map(\.kind))) }
      if key.isMoved(by: call.begin.operation), let detail = success.detail {
        log.write(.binding, detail.text(in: .english))
      }
      return success
    } catch {
      // The refusal is on the disk before it is reported. So it does not help anybody to cut the network and log in without the
      // server.
      if error.server.hasRefused { accounts.noteRefusal() }
      throw timeLimit?.explaining(error) ?? error
    }
  }

  /// Reads the files outside the state folder, then enters the sandbox; no prompt has been shown yet.
  private func prepare() throws(Ending) {
    // If no server is configured, that is an error only for an operation that needs one, so it is not reported here.
    let found = try? server.settings()
    let isAccountCheck = call.begin.operation == .account
    let asked = call.begin.mayAskServer && (!isAccountCheck || policy.asksForState) ? found : nil
    if call.begin.operation == .initialise { try InitialiseOperation.makeFolder(folder) }
    // The chip works while the other files are read.
    key.prepare(for: call.begin.operation, in: folder.path, owner: folder.owner)
    // Even if the server will not be asked, its trust settings are needed: its last answer or an unlock is checked against
    // them.
    let usesUnlock = call.begin.operation == .unlock && call.begin.payload != nil
    if let trusted = isAccountCheck || usesUnlock ? found : asked { try server.readTrust(trusted) }
    if let note = server.trust?.note { log.write(.serverKeys, note, .warning) }
    sensor = SensorStart(call: call, policy: policy, accounts: accounts, environment: environment).sensor()
    environment.seclude(asked.map(Self.places), folder.path)
  }

  /// The hosts and ports that a call with this configuration may connect to.
  private static func places(of server: ServerSettings) -> FetchPlaces {
    FetchPlaces(of: server.urls.map(\.text) + server.appIDs, proxy: server.proxy?.text)
  }

  /// Reports this machine's condition to the server, after a login that the server accepted.
  ///
  /// Call this after the front end has got the result, so that the person does not wait for it.
  func checkIn(after success: Success) {
    guard call.isLogin, success.offlineAge == nil, !environment.isAwaited else { return }
    checkIn.afterLogin(news: success.machineNews)
  }

  /// Reports this machine's condition to the server, after a login that ended here with a wrong value or a lock.
  ///
  /// Call this after the front end has got the result, so that the person does not wait for it.
  func checkIn(after ending: Ending) {
    guard call.isLogin, !environment.isAwaited, [.wrongValue, .locked, .lockedForGood].contains(ending.result)
    else { return }
    checkIn.afterRefusal(hidesState: policy.hidesState)
  }

  private var checkIn: CheckIn {
    let followed = FollowedPolicy(
      keeper: policy.keeper, standing: policy.standing, server: server, log: log, now: environment.now)
    let maker = ReportMaker(policy: policy, folder: folder, followed: followed, now: environment.now)
    return CheckIn(
      folder: folder, server: server, followed: followed, maker: maker, log: log, now: environment.now)
  }

  private var sealing: KeySealing { KeySealing(source: key, prompter: prompter) }

  /// The operation that *begin* names, with the parts that it needs.
  private func operation() -> any CallOperation {
    let parts = OperationParts(
      call: call, policy: policy, prompter: prompter, server: server, locks: locks, log: log, accounts: accounts,
      folder: folder, sensor: sensor, in: environment)
    return switch call.begin.operation {
    case .authenticate: call.begin.payload == nil ? parts.login() : parts.approval()
    case .register, .repair: parts.registration()
    case .deregister, .deregisterAll: parts.deregistration()
    case .change: parts.change()
    case .reset: parts.reset()
    case .status: parts.status()
    case .unlock where call.begin.payload != nil: parts.givenUnlock()
    case .unlock: UnlockOperation(call: call, accounts: accounts, log: log)
    case .rename: RenameOperation(call: call, accounts: accounts, log: log)
    case .forget: ForgetOperation(call: call, accounts: accounts, locks: locks)
    case .initialise: InitialiseOperation(folder: folder, sealing: sealing)
    case .seal: SealOperation(folder: folder, sealing: sealing)
    case .unseal: UnsealOperation(folder: folder, source: key)
    case .recover: RecoverOperation(folder: folder, source: key, accounts: accounts, prompter: prompter)
    case .account: parts.accountCheck()
    case .trust: TrustOperation(configuration: policy.configuration, folder: folder, codes: parts.codes)
    case .join:
      JoinOperation(call: call, folder: folder, server: server, pause: environment.pause, now: environment.now)
    case .leave:
      LeaveOperation(folder: folder, server: server, log: log, pause: environment.pause, now: environment.now)
    case .checkIn: CheckInOperation(call: call, folder: folder, server: server, checkIn: checkIn)
    case .keyringSet: parts.keyringSet()
    case .keyringForget: KeyringForgetOperation(call: call, accounts: accounts, log: log)
    }
  }
}

/// What a session needs from outside; tests supply substitutes.
struct SessionEnvironment {
  /// The path of the configuration file, if the caller names none.
  var configurationPath = Configuration.defaultPath
  /// The uid that must own the configuration and the state.
  var owner: uid_t = 0
  /// Returns the current time.
  var now: () -> BootTime
  /// Waits for this many milliseconds.
  var pause: (Int) -> Void
  /// How many key derivations may run at the same time on this machine.
  var derivationSlots: Int
  /// The destination of the log.
  var log: any LogSink
  /// The destination of records for the kernel's audit.
  var audit: any AuditSink
  /// Enters the sandbox.
  ///
  /// The state folder at this path stays usable.
  ///
  /// The first parameter is the hosts and ports of the server that the call will use; nil if it will use none. This is called
  /// once, before the first prompt.
  var seclude: (FetchPlaces?, String) -> Void = { _, _ in }
  /// Starts uaf-finger, and has what is stored at these paths stay readable in the sandbox.
  var finger: ([String]) throws(Ending) -> FingerProcess = { (_) throws(Ending) in
    throw Ending(.biometryNotSupported, log: "no uaf-finger")
  }
  /// The folder in which the fingerprint service stores prints.
  var printsFolder = EnrolledPrints.folder
  /// Whether the front end has started this process, and waits for its end.
  ///
  /// Then nothing is reported to the server after a login: the person would wait for it, and the front end would end the process
  /// in the middle. A later check-in reports it.
  var isAwaited = false
  /// Whether it is proved that the person who called the host sits at this machine.
  var isAtSeat = true
  /// Makes the transport to a server.
  var network: ServerAccess.Connecting
  /// Starts uaf-chip.
  var chip: DeviceKeySource.Starting = { () throws(Ending) in
    throw Ending(.clientMismatch, log: "uaf-chip is not started here")
  }
  /// The description of the machine that the server is told.
  var device: DeviceDescription
  /// Makes the layout of a shuffled keypad.
  var keypad: () throws(CryptoError) -> ShuffledKeypad = { () throws(CryptoError) in try ShuffledKeypad() }
}
