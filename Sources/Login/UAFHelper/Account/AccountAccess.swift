import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFConfiguration
import UAFMessages
import UAFWire

/// The accounts' files on this machine: opens the file of the account that a call is for, and reads its authenticators, keys
/// and locks.
@safe final class AccountAccess {
  /// The account's file, once it has been opened.
  private(set) var account: AccountFile?
  /// The types whose removal in this call has removed a kept password of the person's keyring.
  private(set) var droppedKeyrings: [AuthenticatorType] = []

  private let call: Call
  private let policy: CallPolicy
  private let folder: StateFolder
  private let shares: ChipShares
  private let server: ServerAccess
  private let locks: LockLog
  private let log: CallLog
  private let now: () -> BootTime

  init(
    for call: Call, _ policy: CallPolicy, _ folder: StateFolder, _ shares: ChipShares, _ server: ServerAccess,
    _ locks: LockLog, _ log: CallLog, now: @escaping () -> BootTime
  ) {
    self.call = call
    self.policy = policy
    self.folder = folder
    self.shares = shares
    self.server = server
    self.locks = locks
    self.log = log
    self.now = now
  }

  /// The ending for a failure of an account's state, or of the chip that has a share of its key.
  func ending(for error: StateError) -> Ending { shares.ending(for: error) }

  /// Whether a failure must look like a wrong secret to the person, because it would otherwise show that the account exists.
  ///
  /// If so, the failure is logged.
  ///
  /// For an unknown name, the chip is only used to take the same time, and its answer is ignored.
  func hides(_ error: StateError) -> Bool {
    guard error == .share, policy.hidesState else { return false }
    log.write(.binding, "reported as a wrong value: \(shares.ending(for: error).log)", .warning)
    return true
  }

  /// Removes the shares that killed calls left in the chip for an account.
  ///
  /// If a registration or change of the account is in progress, they stay.
  ///
  /// - Throws: ``StateError``.
  func removeLeftovers(of uid: UInt32, in directory: borrowing StateDirectory) throws(StateError) {
    do throws(StateError) { try AccountShares.removeLeftovers(of: uid, in: directory) } catch {
      guard error == .superseded else { throw error }
      log.write(
        .binding,
        "what is left of \(uid) in the chip stays, because a registration or change is in progress; unlock "
          + "again later",
        .warning)
    }
  }

  /// Resets the chip's counts of an account's wrong secrets, and removes the shares that killed calls left there for the
  /// account.
  ///
  /// - Throws: ``Ending``: the first failure. A failure for one share does not prevent the others from being reset.
  func clearCounts(of account: AccountFile, in directory: borrowing StateDirectory) throws(Ending) {
    var failure: Ending?
    for type in AuthenticatorType.allCases {
      do throws(StateError) { try AccountShares.clear(type, of: account, in: directory) } catch {
        failure = failure ?? ending(for: error)
      }
    }
    do throws(StateError) { try removeLeftovers(of: account.identity.uid, in: directory) } catch {
      failure = failure ?? ending(for: error)
    }
    if let failure { throw failure }
  }

  /// Removes a share that no record names.
  func removeShare(_ kept: [UInt8]) { shares.remove(kept) }

  // MARK: Opening

  /// Opens the state folder.
  func openState() throws(Ending) -> StateDirectory { try folder.open() }

  /// Opens the account's file; nil if nothing is registered.
  ///
  /// - Throws: ``Ending`` if it cannot be used.
  func open(_ uid: UInt32, in directory: borrowing StateDirectory) throws(Ending) -> AccountFile? {
    try open(uid, in: directory, isForState: false)
  }

  /// Opens the account's file even if all of its keys were deregistered or reset here.
  ///
  /// The account stage still asks for that account's state: otherwise a person could deregister, and then still log in after
  /// the server has disabled the account.
  ///
  /// - Throws: ``Ending`` if it cannot be used.
  func openForState(_ uid: UInt32, in directory: borrowing StateDirectory) throws(Ending) -> AccountFile? {
    try open(uid, in: directory, isForState: true)
  }

  private func open(
    _ uid: UInt32, in directory: borrowing StateDirectory, isForState: Bool
  ) throws(Ending) -> AccountFile? {
    let mapping = try? server.settings().username
    do throws(StateError) {
      account = try AccountFile.open(
        in: directory, uid: uid, name: knownName, serverUserName: { mapping?.name(of: $0) }, isForState: isForState,
        lockEnded: locks.ended)
    } catch { throw error == .identityMismatch ? renamed(uid, in: directory) : Ending(error) }
    call.recognise(registeredName: account?.identity.name)
    return account
  }

  /// The ending for an account that was registered under a different name.
  ///
  /// Its texts for the log and for root contain both names.
  func renamed(_ uid: UInt32, in directory: borrowing StateDirectory) -> Ending {
    let ending = Ending(StateError.identityMismatch)
    guard let registered = try? AccountFile.registeredName(in: directory, uid: uid), let name = knownName else {
      return ending
    }
    let (old, new) = (Self.shown(registered), Self.shown(name))
    let help =
      if !call.caller.isTool {
        RootText("root's 'uafctl status \(new)' says what helps", korean: "root의 'uafctl status \(new)' 명령이 방법을 알려 줍니다")
      } else if let other = call.caller.otherHolder(of: registered, than: uid) {
        RootText(
          "'\(old)' is the name of number \(other) now, so nothing can be moved: 'uafctl forget \(new)' removes "
            + "the registration, and '\(new)' can register again",
          korean: "이제 '\(old)'은(는) \(other)번 계정의 이름이므로 옮길 수 없습니다. 'uafctl forget \(new)' 명령으로 등록을 지우고 "
            + "'\(new)' 계정을 다시 등록하십시오")
      } else {
        RootText(
          "'uafctl rename \(new) --from \(old)' moves the registration for the same person, 'uafctl forget \(new)' "
            + "removes it",
          korean: "같은 사람이면 'uafctl rename \(new) --from \(old)' 명령으로 등록을 옮기고, 아니면 'uafctl forget \(new)' 명령으로 지우십시오")
      }
    let text = help.after(
      english: "registered as '\(old)', and number \(uid) is '\(new)' now",
      korean: "'\(old)' 이름으로 등록되어 있는데 지금 \(uid)번 계정의 이름은 '\(new)'입니다")
    let log = text.text(in: .english)
    return Ending(ending.result, text: ending.text, log: log, .renamed(text))
  }

  /// Refuses to register an account under a server name that another account of this machine already has.
  ///
  /// A renamed account keeps its name at the server. If somebody else now has the old name here, both people would share one
  /// account at the server: each could revoke the other's keys, and approve texts for the other.
  ///
  /// - Throws: ``Ending``.
  func requireOwn(_ serverUserName: String, of uid: UInt32, in directory: borrowing StateDirectory) throws(Ending) {
    let holders: [AccountIdentity]
    do throws(StateError) {
      holders = try AccountFile.holders(of: serverUserName, besides: uid, in: directory)
    } catch { throw Ending(error) }
    guard let holder = holders.first else { return }
    let name = call.caller.knownName(of: holder.uid).map(Self.shown)
    let file = "\(folder.path)/accounts/\(holder.uid).db"
    let help =
      if let name {
        RootText(
          "'uafctl forget \(name)' removes that registration, and '\(name)' then registers under its own name",
          korean: "'uafctl forget \(name)' 명령으로 그 등록을 지우고, '\(name)' 계정은 자기 이름으로 다시 등록하십시오")
      } else {
        RootText(
          "'getent passwd \(holder.uid)' has its name NAME, 'uafctl forget NAME' removes that registration; if nobody has the "
            + "number, remove \(file) and its -journal",
          korean: "'getent passwd \(holder.uid)' 명령으로 그 이름(NAME)을 확인하고 'uafctl forget NAME' 명령으로 그 등록을 지우십시오. 그 번호의 "
            + "계정이 없으면 \(file)과(와) -journal 파일을 지우십시오")
      }
    let text = help.after(
      english:
        "number \(holder.uid)\(name.map { ", now '\($0)'," } ?? "") is registered at the server as '\(serverUserName)'",
      korean: "\(holder.uid)번 계정\(name.map { "(지금 이름: '\($0)')" } ?? "")이 서버에 '\(serverUserName)' 이름으로 등록되어 있습니다")
    throw Ending(
      .invalidUsername, text: .cause(.serverNameOfOther), log: text.text(in: .english), .serverNameTaken(text))
  }

  private static func shown(_ name: [UInt8]) -> String {
    Text.cleaned(String(decoding: name, as: UTF8.self), limit: 64)
  }

  /// The name that the uid has now; nil if it is not known.
  ///
  /// It is compared with the registered name: a uid that was given to somebody else must not open the file of its former owner.
  /// A host with root privileges has already looked up the name. The name of a peer that is not root comes from /etc/passwd.
  /// For an account that is not in that file (LDAP, SSSD), the name is only looked up if the person registers, or asks uafctl
  /// what a login would do (``OwnName``). Otherwise it is nil, and no name is compared.
  private var knownName: [UInt8]? { call.caller.isRoot ? call.caller.name : call.caller.ownName }

  /// Whether nothing was ever registered for the account here; false if that cannot be determined.
  func neverHadRow(_ uid: UInt32, in directory: borrowing StateDirectory) -> Bool {
    (try? AccountFile.exists(in: directory, uid: uid)) == false
  }

  /// The account's authenticators; nil if it has none, or does not have the type `named`.
  ///
  /// - Throws: ``Ending`` if the state cannot be used.
  func authenticators(of uid: UInt32, _ named: AuthenticatorType?) throws(Ending) -> AccountAuthenticators? {
    let directory = try openState()
    guard let account = try open(uid, in: directory) else { return nil }
    let types = try enrolledTypes(account)
    guard !types.isEmpty, named.map({ types.contains($0) }) ?? true else { return nil }
    return AccountAuthenticators(account, types, refused: try refusedTypes(account), named: named, in: directory)
  }

  /// The account's authenticators, for an operation that needs one of this machine.
  ///
  /// - Parameters:
  ///   - result: the result if the account has none, or does not have the type `named`.
  ///   - circumstance: the circumstance of that ending.
  /// - Throws: ``Ending`` also if the state cannot be used.
  func requireAuthenticators(
    of uid: UInt32, _ named: AuthenticatorType?, else result: FidoResult = .notRegistered,
    _ circumstance: Circumstance? = nil
  ) throws(Ending) -> AccountAuthenticators {
    if let held = try authenticators(of: uid, named) { return held }
    throw Ending(
      result, text: try causeOfMissing(named).map(PromptText.cause), log: "no value of this account on this machine",
      circumstance)
  }

  /// Why the account that was opened has no authenticator of the type `named`; nil if it has no authenticator at all.
  ///
  /// - Throws: ``Ending`` if the state cannot be used.
  func causeOfMissing(_ named: AuthenticatorType?) throws(Ending) -> EndCause? {
    guard named != nil, let account, try !enrolledTypes(account).isEmpty else { return nil }
    return .namedNotRegistered
  }

  // MARK: Authenticators and keys

  /// The enabled types for which the account has an authenticator.
  ///
  /// - Throws: ``Ending``.
  func enrolledTypes(_ account: AccountFile) throws(Ending) -> [AuthenticatorType] {
    var types: [AuthenticatorType] = []
    for type in policy.enabledTypes where try isEnrolled(account, type) { types.append(type) }
    return types
  }

  /// Whether the account has an authenticator of any type, enabled or not.
  ///
  /// - Throws: ``Ending``.
  func isInUse(_ account: AccountFile) throws(Ending) -> Bool {
    for type in AuthenticatorType.allCases where try isEnrolled(account, type) { return true }
    return false
  }

  /// Whether the account has a passcode or a pattern.
  ///
  /// - Throws: ``Ending``.
  func hasTyped(_ account: AccountFile) throws(Ending) -> Bool {
    for type in AuthenticatorType.allCases where type.isTyped {
      if try isEnrolled(account, type) { return true }
    }
    return false
  }

  /// Whether the account has an authenticator of this type.
  ///
  /// - Throws: ``Ending``.
  func isEnrolled(_ account: AccountFile, _ type: AuthenticatorType) throws(Ending) -> Bool {
    do throws(StateError) { return try account.authenticator(type) != nil } catch { throw Ending(error) }
  }

  /// Whether the account has an authenticator of this type; false if it has no file.
  ///
  /// - Throws: ``Ending``.
  func holds(_ account: AccountFile?, _ type: AuthenticatorType) throws(Ending) -> Bool {
    if let account { try isEnrolled(account, type) } else { false }
  }

  /// The enabled types whose keys are all revoked or unknown at the server, according to its most recent answers.
  ///
  /// - Throws: ``Ending``.
  func deadTypes(_ account: AccountFile) throws(Ending) -> [AuthenticatorType] {
    try types(of: account) { $0.isDead }
  }

  /// The enabled types for which the server is known to refuse every key: each is dead, or its counter is behind.
  ///
  /// - Throws: ``Ending``.
  func refusedTypes(_ account: AccountFile) throws(Ending) -> [AuthenticatorType] {
    try types(of: account) { $0.needsRepair }
  }

  /// The enabled types with at least one key, if `isMeant` is true for all of their keys.
  private func types(
    of account: AccountFile, whereEach isMeant: (RegisteredKey) -> Bool
  ) throws(Ending) -> [AuthenticatorType] {
    let keys = try keys(of: account)
    return policy.enabledTypes.filter { type in
      let own = keys.filter { $0.type == type }
      return !own.isEmpty && own.allSatisfy(isMeant)
    }
  }

  /// The enabled types with a key that needs repair.
  ///
  /// According to the server's most recent answers, the key is dead, or the server has seen a higher counter than this machine
  /// has.
  ///
  /// - Throws: ``Ending``.
  func typesToRepair(_ account: AccountFile) throws(Ending) -> [AuthenticatorType] {
    let keys = try keys(of: account).filter(\.needsRepair)
    return try enrolledTypes(account).filter { type in keys.contains { $0.type == type } }
  }

  /// The protocol that the configured server speaks.
  private var spokenProtocol: KeyProtocol {
    policy.configuration.server?.dialect.isWebAuthn == true ? .webAuthn : .uaf
  }

  /// The account's keys of the protocol that the configured server speaks.
  ///
  /// Keys of the other protocol remain from an earlier configuration, and are never sent to this server.
  ///
  /// - Throws: ``Ending``.
  func keys(of account: AccountFile) throws(Ending) -> [RegisteredKey] {
    do throws(StateError) { return try account.keys().filter { $0.keyProtocol == spokenProtocol } } catch {
      throw Ending(error)
    }
  }

  // MARK: Locks

  /// The lock policy for this caller's attempts on an account.
  func lockPolicy(_ type: AuthenticatorType, of account: AccountFile) -> LockPolicy {
    policy.lockPolicy(type, uid: account.identity.uid, call.caller.origin)
  }

  /// The state of an authenticator's lock; if the configuration is looser but has no effect yet, that is logged.
  ///
  /// - Throws: ``Ending``.
  func lockStatus(
    _ account: AccountFile, _ type: AuthenticatorType, _ origin: AttemptOrigin, _ policy: LockPolicy
  ) throws(Ending) -> LockStatus {
    do throws(StateError) {
      let ledger = try account.ledger(type, at: now())
      if ledger.refusesLooser(policy, for: origin) { locks.optionsWait(type) }
      return ledger.status(origin, at: now(), policy: policy)
    } catch { throw Ending(error) }
  }

  /// How many tries are left after wrong entries in earlier calls; nil if there were none.
  ///
  /// - Throws: ``Ending``.
  func standingTries(
    _ account: AccountFile, _ type: AuthenticatorType, _ policy: LockPolicy
  ) throws(Ending) -> Int? {
    let origin = call.caller.origin
    do throws(StateError) {
      let now = now()
      let ledger = try account.ledger(type, at: now)
      guard ledger.hasWrongEntries(origin) else { return nil }
      return ledger.status(origin, at: now, policy: policy).remainingTries
    } catch { throw Ending(error) }
  }

  /// Refuses to remove keys if, as far as this machine knows, the server has disabled or locked the account.
  ///
  /// With a code, it also refuses if the server forbade the account's last request. Without a code, that is not needed: the
  /// removal begins with a login, in which the server decides anyway.
  ///
  /// - Throws: ``Ending`` with `forbidden`; never if root asks.
  func requireNotBlocked(_ account: AccountFile) throws(Ending) {
    guard !call.caller.isRoot else { return }
    // As in the account stage, a record that cannot be read is no reason to refuse.
    if let record = try? StandingRecord.of(account),
      let reason = AccountRefusal(saidLast: record.standing, at: now().wallSeconds)
    {
      throw Ending(.forbidden, because: reason.cause, log: "the server last said that the account is \(reason)")
    }
    guard call.begin.payload != nil, try keys(of: account).contains(where: \.isForbidden) else { return }
    throw Ending(.forbidden, because: .accountForbidden, log: "the server refused the account's last request")
  }

  /// Whether the server has disabled or locked the account, or refused its last login as forbidden (1403), as far as this
  /// machine knows.
  ///
  /// A record that cannot be read is no reason to return true.
  ///
  /// - Throws: ``Ending`` if the keys cannot be read.
  func isForbidden(_ account: AccountFile) throws(Ending) -> Bool {
    if try keys(of: account).contains(where: \.isForbidden) { return true }
    let record = try? StandingRecord.of(account)
    return AccountRefusal(saidLast: record?.standing, at: now().wallSeconds) != nil
  }

  /// Makes a change that may remove authenticators; writes to the audit log that locks were removed with them, and to the log
  /// that a password of the person's keyring was.
  ///
  /// - Throws: the `StateError` that `change` throws.
  func tellingRemovedLocks<Result>(
    of account: AccountFile, _ change: () throws(StateError) -> Result
  ) throws(StateError) -> Result {
    let before = lockedTypes(of: account)
    let kept = (try? account.typesWithKeyring()) ?? []
    let result = try change()
    let left = (try? account.typesWithKeyring()) ?? []
    let dropped = kept.filter { !left.contains($0) }
    if !dropped.isEmpty {
      droppedKeyrings += dropped
      log.write(.keyring, "the kept password was removed together with its authenticator")
    }
    if !before.isSubset(of: lockedTypes(of: account)) { locks.removed(account.identity) }
    return result
  }

  /// The authenticators that are locked for attempts of any origin.
  ///
  /// Empty if the locks cannot be read. Only messages use this; no decision depends on it.
  func lockedTypes(of account: AccountFile) -> Set<AuthenticatorType> {
    let now = now()
    let locked = AuthenticatorType.allCases.filter { type in
      guard let ledger = try? account.ledger(type, at: now) else { return false }
      return AttemptOrigin.allCases.contains { origin in
        let policy = policy.lockPolicy(type, uid: account.identity.uid, origin)
        return ledger.status(origin, at: now, policy: policy).isLocked
      }
    }
    return Set(locked)
  }

  // MARK: Refusals of the server

  /// Makes the server's last success invalid for logins without the server, because the server has refused or forgotten keys.
  ///
  /// Every operation does this, even if it could not have used that success.
  func noteRefusal() {
    guard let account else { return }
    do throws(StateError) {
      try account.noteRefusal(at: now(), always: policy.configuration.allowsOffline)
    } catch {
      // A success in a record that cannot be read is not valid anyway, and an account without keys has none.
      guard error != .damaged, error != .absent else { return }
      log.write(.state, "the server's refusal could not be stored: \(error)", .warning)
    }
  }

  /// Marks the account's keys, because the server has forbidden the account to log in (1403).
  ///
  /// If the server has refused a key with its own status, that is more specific, and stays.
  func noteForbidden() { mark(UAFStatusCode.forbidden.rawValue) { !$0.isRefused } }

  /// Clears the status 1403 from the keys, because the server has allowed something, or reports that the account is active.
  func noteAllowed() { mark(0, where: \.isForbidden) }

  private func mark(_ status: UInt32, where isMeant: (RegisteredKey) -> Bool) {
    guard let account else { return }
    do throws(StateError) {
      for key in try account.keys() where key.keyProtocol == spokenProtocol && isMeant(key) {
        try account.mark(key.keyID, serverStatus: status)
      }
    } catch { log.write(.state, "the server's status \(status) could not be recorded: \(error)", .warning) }
  }
}

/// Why an account is refused before the person has verified anything.
enum AccountRefusal: Equatable {
  case disabled
  case locked
  /// Root's configuration requires that the account is known to be active, and it is not known.
  case notKnown

  /// Why an account is refused, according to the state that the server last reported; nil if that state is no reason to refuse
  /// it now.
  ///
  /// - Parameter wallSeconds: the current time, in seconds since 1970.
  init?(saidLast standing: AccountStanding?, at wallSeconds: Int64) {
    switch standing {
    case .disabled: self = .disabled
    case .locked(let until) where until > wallSeconds: self = .locked
    case .locked, .active, nil: return nil
    }
  }

  /// The cause in the text for the person.
  var cause: EndCause {
    switch self {
    case .disabled: .accountDisabled
    case .locked: .accountLocked
    case .notKnown: .accountNotKnown
    }
  }
}
