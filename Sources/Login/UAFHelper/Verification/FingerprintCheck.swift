import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Verifies a person with the machine's fingerprint sensor.
@safe final class FingerprintCheck {
  private let call: Call
  private let policy: CallPolicy
  private let prompter: Prompter
  private let accounts: AccountAccess
  private let queue: DerivationQueue
  private let locks: LockLog
  private let log: CallLog
  private let sensor: FingerSensorAccess
  private let now: () -> BootTime
  /// Why the fingerprint could not be used in addition to a typed secret.
  ///
  /// This is logged and shown only once in a call.
  private var told: FingerObstacle?

  init(
    for call: Call, _ policy: CallPolicy, _ prompter: Prompter, _ accounts: AccountAccess, _ queue: DerivationQueue,
    _ locks: LockLog, _ log: CallLog, _ sensor: FingerSensorAccess, now: @escaping () -> BootTime
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

  /// Claims the sensor for the time of a prompt for a typed secret.
  ///
  /// - Returns: nil if the account has no fingerprint, this is not a login, or the sensor cannot be used. In the last case,
  ///   `notice` gives the reason to the person.
  /// - Throws: ``Ending`` if the state cannot be used.
  func watchBeside(
    _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) -> (watch: FingerWatch?, notice: String?) {
    guard call.isLogin, call.begin.payload == nil, prompter.confirmed == nil, told == nil,
      policy.enabledTypes.contains(.fingerprint), try accounts.isEnrolled(account, .fingerprint)
    else { return (nil, nil) }
    do throws(FingerRefusal) { return (try watch(account, in: directory), nil) } catch {
      switch error {
      case .ending(let ending): throw ending
      case .obstacle(let obstacle):
        told = obstacle
        log.write(.fingerprint, "\(obstacle.result): \(obstacle.log)")
        // A person who is not at the machine need not be told that the sensor is not used.
        guard obstacle.result != .biometryInvalidContext else { return (nil, nil) }
        return (nil, obstacle.result.text(in: policy.language))
      }
    }
  }

  /// Opens the authenticator after a match.
  ///
  /// - Throws: ``Ending`` if the authenticator is locked, or the stored prints are not those with which it was registered.
  func open(
    _ watch: FingerWatch, _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticatorBox {
    try watch.requireCounted()
    if let obstacle = FingerObstacle(watch.outcome) { throw obstacle.ending }
    let record = try record(of: account)
    if let obstacle = obstacle(to: record, with: watch.prints ?? .none) { throw obstacle.ending }
    return try open(account, with: record, in: directory)
  }

  // MARK: Fingerprint only

  /// Lets the person touch the sensor, and opens the authenticator.
  ///
  /// - Throws: ``Ending`` if the authenticator was not opened, with the result that gives the reason, or if the person
  ///   cancelled.
  func askAndVerify(
    _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticatorBox {
    let watch: FingerWatch
    do throws(FingerRefusal) { watch = try self.watch(account, in: directory) } catch { throw error.ending }
    try prompter.awaitTouch(watch)
    return try open(watch, account, in: directory)
  }

  // MARK: Registering

  /// Lets the person touch the sensor, and makes the record under which a new key is sealed.
  ///
  /// - Parameter hasTyped: whether the account has a passcode or a pattern, or gets one in this call.
  /// - Throws: ``Ending`` if the fingerprint cannot be registered, with the result that gives the reason.
  func newRecord(
    for identity: AccountIdentity, hasTyped: Bool, in directory: borrowing StateDirectory
  ) throws(Ending) -> FingerprintRecord {
    guard hasTyped else {
      throw Ending(.biometryWithoutPasscode, log: "a fingerprint needs a passcode or a pattern first")
    }
    if let obstacle = sensor.obstacle(call, policy, isBoundToChip: directory.isBoundToChip) { throw obstacle.ending }
    let watch: FingerWatch
    do throws(FingerRefusal) {
      watch = try sensor.claim(for: identity.name, policy, now: now) { () throws(Ending) in false }
    } catch { throw error.ending }
    try prompter.awaitTouch(watch)
    if let obstacle = FingerObstacle(watch.outcome) { throw obstacle.ending }
    guard policy.configuration.biometric.isBoundToPrints else { return FingerprintRecord(prints: nil) }
    switch watch.prints {
    case .prints(let hash): return FingerprintRecord(prints: hash)
    case .unreadable(let why): throw Ending(.biometryStateError, log: "the stored prints: \(why)")
    case .some(.none), nil:
      throw Ending(
        .biometryStateNotSupported,
        log: "the stored prints are not in \(sensor.printsFolder): a change could not be detected")
    }
  }

  // MARK: Changed prints

  /// Binds the key to the prints that are stored now, after the person has verified a typed secret here and at the server.
  ///
  /// If this cannot be written, the login still succeeds.
  func acceptPrints(
    after opened: [UnlockedAuthenticatorBox], _ account: AccountFile, in directory: borrowing StateDirectory
  ) {
    guard told?.result == .biometryChanged, opened.contains(where: \.type.isTyped) else { return }
    do {
      guard case .prints(let hash)? = sensor.prints(of: account.identity.name) else { return }
      let old = try record(of: account)
      let new = FingerprintRecord(prints: hash)
      let unlocked = try open(account, with: old, in: directory)
      let slot = try queue.takeSlot(in: directory)
      try account.change(
        unlocked.authenticator, to: new.value(), cost: FingerprintRecord.cost, in: directory, holding: slot)
      try new.store(in: account)
      log.write(.fingerprint, "changed prints were accepted after the value was entered")
      try prompter.show(.printsAccepted)
    } catch { log.write(.fingerprint, "changed prints were not accepted: \(error)", .warning) }
  }

  // MARK: Status

  /// The state of the fingerprint for an account, as a result.
  ///
  /// It is 7000 if nothing prevents its use.
  ///
  /// - Parameter account: nil if nothing is registered.
  /// - Returns: whether the machine supports fingerprints at all, and the result that states what prevents their use.
  func standing(
    _ account: AccountFile?, named name: [UInt8]?, in directory: borrowing StateDirectory
  ) throws(Ending) -> (isSupported: Bool, result: FidoResult) {
    if let obstacle = sensor.obstacle(call, policy, isBoundToChip: directory.isBoundToChip) {
      return (false, obstacle.result)
    }
    let name = account?.identity.name ?? name ?? []
    if let obstacle = sensor.look(for: name) {
      return (![.biometryNotSupported, .biometryUnknown].contains(obstacle.result), obstacle.result)
    }
    guard let account, try accounts.isEnrolled(account, .fingerprint) else { return (true, .biometryNotChanged) }
    let record = try record(of: account)
    if record.prints == nil { return (true, .biometryStateNotSupported) }
    return (true, obstacle(to: record, with: sensor.prints(of: name) ?? .none)?.result ?? .biometryNotChanged)
  }

  // MARK: Parts

  private func watch(
    _ account: AccountFile, in directory: borrowing StateDirectory
  ) throws(FingerRefusal) -> FingerWatch {
    if let obstacle = sensor.obstacle(call, policy, isBoundToChip: directory.isBoundToChip) {
      throw .obstacle(obstacle)
    }
    let lock = accounts.lockPolicy(.fingerprint, of: account)
    do throws(Ending) {
      let record = try record(of: account)
      if let obstacle = obstacle(to: record, with: sensor.prints(of: account.identity.name) ?? .none) {
        throw obstacle.ending
      }
      if try accounts.lockStatus(account, .fingerprint, call.caller.origin, lock).isLocked {
        locks.refused(.fingerprint, for: nil)
        throw FingerObstacle(.biometryLocked, log: "refused while locked").ending
      }
    } catch {
      guard error.types == [.fingerprint] else { throw .ending(error) }
      throw .obstacle(FingerObstacle(error.result, log: error.log))
    }
    return try sensor.claim(for: account.identity.name, policy, now: now) { [self] () throws(Ending) in
      try count(account, under: lock)
    }
  }

  /// Counts a touch that did not match.
  ///
  /// - Returns: whether the fingerprint is locked now.
  private func count(_ account: AccountFile, under lock: LockPolicy) throws(Ending) -> Bool {
    do throws(StateError) {
      guard case .charged = try account.charge(.fingerprint, call.caller.origin, at: now(), policy: lock) else {
        return true
      }
    } catch { throw Ending(error) }
    let status = try accounts.lockStatus(account, .fingerprint, call.caller.origin, lock)
    if status.isLocked {
      let made: NewLock = status.isPermanent ? .permanent : .temporary(status.remainingLock ?? .zero)
      locks.made(made, of: .fingerprint, account.identity)
    }
    return status.isLocked
  }

  private func record(of account: AccountFile) throws(Ending) -> FingerprintRecord {
    do throws(StateError) {
      if let record = try FingerprintRecord.of(account) { return record }
    } catch { throw Ending(error) }
    throw FingerObstacle(.biometryStateError, log: "there is no record of the prints: deregister and register again")
      .ending
  }

  /// The obstacle if the stored prints are not those of a record; nil if they are.
  private func obstacle(to record: FingerprintRecord, with prints: EnrolledPrints.State) -> FingerObstacle? {
    guard policy.configuration.biometric.isBoundToPrints else { return nil }
    switch prints {
    case .none: return FingerObstacle(.biometryNotRegistered, log: "no prints are stored for the person")
    case .unreadable(let why): return FingerObstacle(.biometryStateError, log: "the stored prints: \(why)")
    case .prints(let hash):
      guard hash != record.prints else { return nil }
      return FingerObstacle(.biometryChanged, log: "the prints are not the same as at the registration")
    }
  }

  private func open(
    _ account: AccountFile, with record: FingerprintRecord, in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticatorBox {
    let slot = try queue.takeSlot(in: directory)
    let lock = accounts.lockPolicy(.fingerprint, of: account)
    do throws(StateError) {
      switch try account.verify(
        record.value(), for: .fingerprint, from: call.caller.origin, at: now(), policy: lock, in: directory,
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
      throw FingerObstacle(.biometryLocked, log: "locked meanwhile").ending
    }
  }
}
