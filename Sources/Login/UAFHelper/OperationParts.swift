/// Makes the operations that prompt for a secret, from the parts of one call.
struct OperationParts {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let server: ServerAccess
  let log: CallLog
  let codes: EnrolmentCodes
  private let folder: StateFolder
  private let environment: SessionEnvironment
  private let queue: DerivationQueue
  private let dummy: DummyCheck
  private let sensors: BiometricCheck
  private let check: ValueCheck
  private let opener: AuthenticatorOpener
  private let newValue: NewValueDialogue
  private let keys: KeyRecords

  init(
    call: Call, policy: CallPolicy, prompter: Prompter, server: ServerAccess, locks: LockLog, log: CallLog,
    accounts: AccountAccess, folder: StateFolder, sensor: SensorAccess, in environment: SessionEnvironment
  ) {
    self.call = call
    self.policy = policy
    self.prompter = prompter
    self.accounts = accounts
    self.server = server
    self.log = log
    self.folder = folder
    self.environment = environment
    let now = environment.now
    codes = EnrolmentCodes(for: call, server, now: now)
    queue = DerivationQueue(for: call, slots: environment.derivationSlots, pause: environment.pause)
    dummy = DummyCheck(for: call, policy, queue, now: now)
    sensors = BiometricCheck(for: call, policy, prompter, accounts, queue, locks, log, sensor, now: now)
    check = ValueCheck(for: call, policy, prompter, accounts, queue, dummy, locks, sensors, now: now)
    opener = AuthenticatorOpener(policy, prompter, check, sensors)
    newValue = NewValueDialogue(for: call, policy, prompter)
    keys = KeyRecords(for: call, accounts, log)
  }

  func login() -> LoginOperation {
    LoginOperation(
      account: account, authentication: authentication,
      keyring: KeyringHandover(call: call, policy: policy, prompter: prompter, log: log),
      hostName: environment.device.hostName)
  }

  func approval() -> ApprovalOperation {
    ApprovalOperation(
      account: account, authentication: authentication, codes: codes, denial: Denial(server: server, log: log))
  }

  func registration() -> RegistrationOperation {
    RegistrationOperation(tools: registrationTools, authentication: authentication, codes: codes)
  }

  func deregistration() -> DeregistrationOperation {
    DeregistrationOperation(
      call: call, policy: policy, prompter: prompter, accounts: accounts, server: server,
      authentication: authentication, codes: codes, deletion: KeyDeletion(accounts: accounts, server: server), log: log)
  }

  func change() -> ChangeOperation {
    ChangeOperation(
      call: call, policy: policy, prompter: prompter, accounts: accounts, opener: opener, check: check,
      newValue: newValue, queue: queue)
  }

  func keyringSet() -> KeyringSetOperation {
    KeyringSetOperation(
      call: call, policy: policy, prompter: prompter, accounts: accounts, check: check, log: log)
  }

  func reset() -> ResetOperation {
    ResetOperation(
      call: call, policy: policy, prompter: prompter, accounts: accounts, server: server, codes: codes,
      deletion: KeyDeletion(accounts: accounts, server: server), log: log)
  }

  func status() -> StatusOperation {
    StatusOperation(
      call: call, policy: policy, accounts: accounts, sensors: sensors,
      serverSide: ServerSideStatus(server: server, folder: folder), now: environment.now)
  }

  func accountCheck() -> AccountCheckOperation {
    AccountCheckOperation(
      call: call, policy: policy, accounts: accounts, server: server, log: log, now: environment.now)
  }

  func givenUnlock() -> GivenUnlockOperation {
    GivenUnlockOperation(call: call, accounts: accounts, server: server, log: log, now: environment.now)
  }

  private var account: LoginAccount {
    LoginAccount(
      call: call, policy: policy, prompter: prompter, accounts: accounts,
      hidden: HiddenAccount(for: call, policy, prompter, accounts, server, dummy), sensors: sensors,
      unregistered: UnregisteredPass(call: call, policy: policy, folder: folder, log: log, now: environment.now),
      log: log)
  }

  private var authentication: AuthenticationTools {
    let again = RegisterAgain(tools: registrationTools, codes: codes)
    return AuthenticationTools(
      call: call, prompter: prompter, accounts: accounts, server: server, keys: keys, opener: opener,
      offline: OfflineLogin(
        policy, prompter, server, log, noting: notes, at: call.caller.service, now: environment.now),
      log: log, hidesState: policy.hidesState, now: environment.now,
      registerAgain: { (held) throws(Ending) in try again.run(held) })
  }

  private var notes: OfflineLoginNotes {
    OfflineLoginNotes(
      folder: folder, server: server, log: log, pause: environment.pause, now: environment.now)
  }

  private var registrationTools: RegistrationTools {
    RegistrationTools(
      call: call, policy: policy, prompter: prompter, accounts: accounts, server: server, keys: keys, opener: opener,
      check: check, sensors: sensors,
      newValue: newValue, queue: queue, log: log)
  }
}

/// What a call does; each operation has its own type.
///
/// Each type gets everything it needs as parameters.
protocol CallOperation {
  /// Performs the operation.
  ///
  /// - Throws: ``Ending`` whenever the operation does not succeed.
  func run() throws(Ending) -> Success
}
