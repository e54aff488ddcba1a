import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Verifies a person with the machine's sensors.
@safe final class BiometricCheck {
  private let call: Call
  private let policy: CallPolicy
  private let prompter: Prompter
  private let accounts: AccountAccess
  private let queue: DerivationQueue
  private let locks: LockLog
  private let log: CallLog
  private let sensor: SensorAccess
  private let now: () -> BootTime
  /// Why sensors could not be used in addition to a typed secret.
  ///
  /// Each is logged and shown only once in a call.
  private var told: [SensorObstacle] = []
  /// Whether this call has shown a prompt for a sensor.
  private(set) var hasPrompted = false

  init(
    for call: Call, _ policy: CallPolicy, _ prompter: Prompter, _ accounts: AccountAccess, _ queue: DerivationQueue,
    _ locks: LockLog, _ log: CallLog, _ sensor: SensorAccess, now: @escaping () -> BootTime
  ) {
    self.call = call
    self.policy = policy
    self.prompter = prompter
    self.accounts = accounts
    self.queue = queue
    self.locks = locks
    self.log = log
    self.sensor = sensor
    self.now = now
  }

  // MARK: During the prompt for a typed secret

  /// Claims a sensor for the time of a prompt for a typed secret.
  ///
  /// - Returns: nil if the account has no authenticator with a sensor, this is not a login, or no sensor can be used. In the
  ///   last case, `notice` gives the reason to the person.
  /// - Throws: ``Ending`` if the state cannot be used.
  func watchBeside(
    _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) -> (watch: FingerWatch?, notice: String?) {
    guard call.isLogin, call.begin.payload == nil, prompter.confirmed == nil, told.isEmpty else { return (nil, nil) }
    for type in try typesBeside(account) {
      do throws(SensorRefusal) { return (try watch(type, account, in: directory), nil) } catch {
        switch error {
        case .ending(let ending): throw ending
        case .obstacle(let obstacle): tell(obstacle)
        }
      }
    }
    // A person who is not at the machine need not be told that the sensor is not used.
    guard let obstacle = told.first, obstacle.result != .biometryInvalidContext else { return (nil, nil) }
    return (nil, obstacle.shown(in: policy.language))
  }

  /// The account's authenticators whose sensor may wait while the person types.
  private func typesBeside(_ account: AccountFile) throws(Ending) -> [AuthenticatorType] {
    var types: [AuthenticatorType] = []
    for service in sensor.services
    where policy.enabledTypes.contains(service.type) && policy.configuration.countsAlone(service.type) {
      if try accounts.isEnrolled(account, service.type) { types.append(service.type) }
    }
    return types
  }

  private func tell(_ obstacle: SensorObstacle) {
    told.append(obstacle)
    log.write(event(obstacle.type), "\(obstacle.result): \(obstacle.log)")
  }

  /// Opens the authenticator after a match.
  ///
  /// - Throws: ``Ending`` if the authenticator is locked, or what is stored is not what it was registered with.
  func open(
    _ watch: FingerWatch, _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticatorBox {
    try watch.requireCounted()
    if let obstacle = SensorObstacle(watch.type, watch.outcome) { throw obstacle.ending }
    let record = try record(watch.type, of: account)
    if let obstacle = obstacle(to: record, with: watch.prints ?? .none) { throw obstacle.ending }
    return try open(account, with: record, in: directory)
  }

  // MARK: Sensor only

  /// Lets the person use the sensor, and opens the authenticator.
  ///
  /// After a typed secret, a face needs no prompt: the camera compares whoever has just typed. So hosts that can show only one
  /// prompt can ask for both.
  ///
  /// - Throws: ``Ending`` if the authenticator was not opened, with the result that gives the reason, or if the person
  ///   cancelled.
  func askAndVerify(
    _ account: AccountFile, _ type: AuthenticatorType, in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticatorBox {
    let watch: FingerWatch
    do throws(SensorRefusal) { watch = try self.watch(type, account, in: directory) } catch { throw error.ending }
    if policy.configuration.countsAlone(type) {
      hasPrompted = !prompter.showsTouches
      try prompter.awaitTouch(watch)
    } else {
      try prompter.awaitWithoutPrompt(watch)
    }
    return try open(watch, account, in: directory)
  }

  /// What prevents the use of the sensor, as far as that is known without claiming it; nil if nothing does.
  ///
  /// It is asked before a typed secret that would be of no use alone.
  ///
  /// - Throws: ``Ending`` if the state cannot be used.
  func obstacle(
    to type: AuthenticatorType, _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) -> SensorObstacle? {
    do throws(SensorRefusal) { try requireUsable(type, account, in: directory) } catch {
      switch error {
      case .obstacle(let obstacle): return obstacle
      case .ending(let ending): throw ending
      }
    }
    return nil
  }

  /// Tells the person why a typed secret is asked for instead of the sensor.
  ///
  /// - Throws: ``Ending``: the front end went away.
  func tellFallback(_ obstacle: SensorObstacle) throws(Ending) {
    log.write(event(obstacle.type), "\(obstacle.result): \(obstacle.log); the value is asked for instead")
    if !policy.hidesState { try prompter.showError(obstacle.shown(in: policy.language)) }
  }

  // MARK: Registering

  /// Lets the person use the sensor, and makes the record under which a new key is sealed.
  ///
  /// - Parameter hasTyped: whether the account has a passcode or a pattern, or gets one in this call.
  /// - Throws: ``Ending`` if the authenticator cannot be registered, with the result that gives the reason.
  func newRecord(
    _ type: AuthenticatorType, for identity: AccountIdentity, hasTyped: Bool, in directory: borrowing StateDirectory
  ) throws(Ending) -> BiometricRecord {
    guard hasTyped else {
      throw Ending(.biometryWithoutPasscode, log: "a \(type.rawValue) needs a passcode or a pattern first")
    }
    if let obstacle = sensor.obstacle(to: type, call, policy, isBoundToChip: directory.isBoundToChip) {
      throw obstacle.ending
    }
    let watch: FingerWatch
    do throws(SensorRefusal) {
      watch = try sensor.claim(type, for: identity.name, policy, now: now) { () throws(Ending) in false }
    } catch { throw error.ending }
    try prompter.awaitTouch(watch)
    if let obstacle = SensorObstacle(type, watch.outcome) { throw obstacle.ending }
    guard policy.configuration.biometric.isBoundToPrints else { return BiometricRecord(type, prints: nil) }
    switch watch.prints {
    case .prints(let hash): return BiometricRecord(type, prints: hash)
    case .unreadable(let why): throw Ending(.biometryStateError, log: "the stored prints: \(why)")
    case .some(.none), nil:
      throw Ending(
        .biometryStateNotSupported,
        log:
          "the stored prints are not in \(sensor.service(of: type)?.folder ?? "a known place"): a change could not be detected"
      )
    }
  }

  // MARK: Changed prints

  /// Binds the key to the prints that are stored now, after the person has verified a typed secret here and at the server.
  ///
  /// If this cannot be written, the login still succeeds.
  func acceptPrints(
    after opened: [UnlockedAuthenticatorBox], _ account: AccountFile, in directory: borrowing StateDirectory
  ) {
    let type = AuthenticatorType.fingerprint
    guard told.contains(where: { $0.type == type && $0.result == .biometryChanged }),
      opened.contains(where: \.type.isTyped)
    else { return }
    do {
      guard case .prints(let hash)? = sensor.prints(of: account.identity.name, type) else { return }
      let old = try record(type, of: account)
      let new = BiometricRecord(type, prints: hash)
      let unlocked = try open(account, with: old, in: directory)
      let slot = try queue.takeSlot(in: directory)
      try account.change(
        unlocked.authenticator, to: new.value(), cost: BiometricRecord.cost, in: directory, holding: slot)
      try new.store(in: account)
      log.write(.fingerprint, "changed prints were accepted after the value was entered")
      try prompter.show(.printsAccepted)
    } catch { log.write(.fingerprint, "changed prints were not accepted: \(error)", .warning) }
  }

  // MARK: Status

  /// The state of an authenticator with a sensor for an account, as a result.
  ///
  /// It is 7000 if nothing prevents its use.
  ///
  /// - Parameter account: nil if nothing is registered.
  /// - Returns: whether the machine has such a sensor at all, and the result that states what prevents their use.
  func standing(
    _ type: AuthenticatorType, of account: AccountFile?, named name: [UInt8]?, in directory: borrowing StateDirectory
  ) throws(Ending) -> (isSupported: Bool, result: FidoResult) {
    if let obstacle = sensor.obstacle(to: type, call, policy, isBoundToChip: directory.isBoundToChip) {
      return (false, obstacle.result)
    }
    let name = account?.identity.name ?? name ?? []
    if let obstacle = sensor.look(for: name, type) {
      return (![.biometryNotSupported, .biometryUnknown].contains(obstacle.result), obstacle.result)
    }
    guard let account, try accounts.isEnrolled(account, type) else { return (true, .biometryNotChanged) }
    let record = try record(type, of: account)
    if record.prints == nil { return (true, .biometryStateNotSupported) }
    return (true, obstacle(to: record, with: sensor.prints(of: name, type) ?? .none)?.result ?? .biometryNotChanged)
  }

  // MARK: Parts

  private func event(_ type: AuthenticatorType) -> LogEvent { type == .face ? .face : .fingerprint }

  private func watch(
    _ type: AuthenticatorType, _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(SensorRefusal) -> FingerWatch {
    try requireUsable(type, account, in: directory)
    let lock = accounts.lockPolicy(type, of: account)
    return try sensor.claim(type, for: account.identity.name, policy, now: now) { [self] () throws(Ending) in
      try count(type, account, under: lock)
    }
  }

  /// Throws unless this call may use the sensor, what is stored has not changed, and the authenticator is not locked.
  private func requireUsable(
    _ type: AuthenticatorType, _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(SensorRefusal) {
    if let obstacle = sensor.obstacle(to: type, call, policy, isBoundToChip: directory.isBoundToChip) {
      throw .obstacle(obstacle)
    }
    let lock = accounts.lockPolicy(type, of: account)
    do throws(Ending) {
      let record = try record(type, of: account)
      if let obstacle = obstacle(to: record, with: sensor.prints(of: account.identity.name, type) ?? .none) {
        throw obstacle.ending
      }
      if try accounts.lockStatus(account, type, call.caller.origin, lock).isLocked {
        locks.refused(type, for: nil)
        throw SensorObstacle(type, .biometryLocked, log: "refused while locked").ending
      }
    } catch {
      guard error.types == [type] else { throw .ending(error) }
      throw .obstacle(SensorObstacle(type, error))
    }
  }

  /// Counts a touch that did not match.
  ///
  /// - Returns: whether the authenticator is locked now.
  private func count(_ type: AuthenticatorType, _ account: AccountFile, under lock: LockPolicy) throws(Ending) -> Bool {
    do throws(StateError) {
      guard case .charged = try account.charge(type, call.caller.origin, at: now(), policy: lock) else {
        return true
      }
    } catch { throw Ending(error) }
    let status = try accounts.lockStatus(account, type, call.caller.origin, lock)
    if status.isLocked {
      let made: NewLock = status.isPermanent ? .permanent : .temporary(status.remainingLock ?? .zero)
      locks.made(made, of: type, account.identity)
    }
    return status.isLocked
  }

  private func record(_ type: AuthenticatorType, of account: AccountFile) throws(Ending) -> BiometricRecord {
    do throws(StateError) {
      if let record = try BiometricRecord.of(account, type) { return record }
    } catch { throw Ending(error) }
    throw SensorObstacle(
      type, .biometryStateError, log: "there is no record of the prints: deregister and register again"
    )
    .ending
  }

  /// The obstacle if the stored prints are not those of a record; nil if they are.
  private func obstacle(to record: BiometricRecord, with prints: EnrolledPrints.State) -> SensorObstacle? {
    guard policy.configuration.biometric.isBoundToPrints else { return nil }
    let type = record.type
    switch prints {
    case .none: return SensorObstacle(type, .biometryNotRegistered, log: "no prints are stored for the person")
    case .unreadable(let why): return SensorObstacle(type, .biometryStateError, log: "the stored prints: \(why)")
    case .prints(let hash):
      guard hash != record.prints else { return nil }
      return SensorObstacle(type, .biometryChanged, log: "the prints are not the same as at the registration")
    }
  }

  private func open(
    _ account: AccountFile, with record: BiometricRecord, in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticatorBox {
    let slot = try queue.takeSlot(in: directory)
    let lock = accounts.lockPolicy(record.type, of: account)
    do throws(StateError) {
      switch try account.verify(
        record.value(), for: record.type, from: call.caller.origin, at: now(), policy: lock, in: directory,
        holding: slot)
      {
      case .verified(let unlocked): return UnlockedAuthenticatorBox(unlocked)
      case .locked: throw .superseded
      case .permanentlyLocked: throw .superseded
      case .exhausted: throw .superseded
      case .wrong: throw .damaged
      }
    } catch {
      guard error == .superseded else { throw Ending(error) }
      throw SensorObstacle(record.type, .biometryLocked, log: "locked meanwhile").ending
    }
  }
}
