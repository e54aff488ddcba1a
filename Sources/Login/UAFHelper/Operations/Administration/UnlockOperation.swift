import Authenticator
import FidoResults
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

/// Ends every lock of an account, and removes the shares that killed calls left for it in the chip; only root may do this.
struct UnlockOperation: CallOperation {
  let call: Call
  let accounts: AccountAccess
  let log: CallLog

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    let directory = try accounts.openState()
    guard let account = try accounts.open(uid, in: directory) else {
      throw Ending(.notRegistered, because: .nothingHere, log: "nothing to unlock")
    }
    do throws(StateError) { try account.unlock() } catch { throw accounts.ending(for: error) }
    log.audit(.unlockedByRoot, of: account.identity)
    try accounts.clearCounts(of: account, in: directory)
    return Success(detail: RootText("unlocked", korean: "잠금을 풀었습니다"))
  }
}

/// Ends every lock of an account with an unlock from the server's helpdesk: a signed payload or an unlock code of 24
/// characters.
///
/// The person may do this for their own account. It needs neither a secret nor the network. An unlock gives no other right than
/// to end the locks of that account on that machine, once.
struct GivenUnlockOperation: CallOperation {
  let call: Call
  let accounts: AccountAccess
  let server: ServerAccess
  let log: CallLog
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    let settings = try server.settings()
    guard let publicKeys = server.verdictKeys else {
      throw Ending(
        .invalidParameter, because: .unlockNotSigned, log: "unlock: server.require_signed_verdict is not set")
    }
    let payload = call.begin.payload ?? []
    let time = now()
    let device = try server.clientSettings(settings).device.id
    let directory = try accounts.openState()
    guard let account = try accounts.open(uid, in: directory) else {
      throw Ending(.notRegistered, because: .nothingHere, log: "nothing to unlock")
    }
    let name: String
    if let statement = SignedUnlock.statement(payload, publicKeys: publicKeys) {
      name = "payload \(Base64URL.encode(statement.id))"
      try requireOwn(statement, account, device: device)
      let given = GivenUnlock(issuedAt: statement.issuedAt, expiresAt: statement.expiresAt)
      try require(name) { () throws(StateError) in try given.use(for: account, at: time) }
    } else if let code = UnlockCode(typed: String(decoding: payload, as: UTF8.self), near: time.wallSeconds) {
      name = "code of minute \(code.minute)"
      guard let machine = try server.machine(settings, of: account) else {
        throw Ending(
          .requestNotExist, because: .unlockCodeNotKnown,
          log: "unlock: this machine has no secret from the server for checking a code")
      }
      let isRight = try isRight(code, account, by: machine)
      let given = GivenUnlock(issuedAt: code.issuedAt, expiresAt: code.expiresAt)
      try require(name, UnlockCode.label(ofMachine: machine.machineID)) { () throws(StateError) in
        try given.use(typed: isRight, for: account, at: time)
      }
    } else {
      throw Ending(
        .invalidParameter, because: .unlockUnreadable,
        log: "unlock: neither signed by this machine's server nor a code")
    }
    log.write(.helpdesk, "unlocked by the helpdesk's \(name)")
    log.audit(.unlockedByHelpdesk, of: account.identity)
    try accounts.clearCounts(of: account, in: directory)
    return Success(
      detail: RootText("unlocked by the helpdesk's \(name)", korean: "헬프데스크의 잠금 해제로 잠금을 풀었습니다(\(name))"))
  }

  /// Refuses a payload for a different account or machine.
  private func requireOwn(_ statement: UnlockStatement, _ account: AccountFile, device: String?) throws(Ending) {
    guard statement.account.isIdentical(to: account.identity.serverUserName) else {
      throw Ending(
        .invalidParameter, because: .unlockOfOtherAccount,
        log: "unlock: the payload is for a different account")
    }
    let isHere =
      switch statement.target {
      case .device(let id): device.map(id.isIdentical(to:)) ?? false
      case .key(let id): try accounts.keys(of: account).contains { $0.keyID == id.bytes }
      }
    guard isHere else {
      throw Ending(
        .invalidParameter, because: .unlockOfOtherMachine,
        log: "unlock: the payload is for a different machine")
    }
  }

  /// Whether a typed code is the right unlock code for this account and machine.
  private func isRight(_ code: UnlockCode, _ account: AccountFile, by machine: MachineRecord) throws(Ending) -> Bool {
    let message = code.authenticated(account: account.identity.serverUserName, machineID: machine.machineID)
    do throws(CryptoError) {
      let expected = try HMACSHA256.authenticate(message, keyInOrdinaryMemory: machine.secret)
      return HMACSHA256.isEqual(code.mac + expected.dropFirst(UnlockCode.macByteCount), expected)
    } catch { throw Ending(.cannotUse, log: "unlock: \(error)") }
  }

  /// Uses the unlock.
  ///
  /// Every outcome except `unlocked` is thrown as an ending.
  ///
  /// - Parameter label: the label by which the helpdesk knows this machine, if a code was typed.
  private func require(
    _ name: String, _ label: String = "", _ use: () throws(StateError) -> GivenUnlock.Outcome
  ) throws(Ending) {
    let outcome: GivenUnlock.Outcome
    do throws(StateError) { outcome = try use() } catch { throw accounts.ending(for: error) }
    let (cause, what): (EndCause, String)
    switch outcome {
    case .unlocked: return
    case .early: (cause, what) = (.unlockFromFuture, "from the future; compare the clocks of both")
    case .expired: (cause, what) = (.unlockExpired, "it has expired")
    case .used: (cause, what) = (.unlockUsed, "this unlock or a later one was used already")
    case .olderThanLock: (cause, what) = (.unlockOlderThanLock, "older than a lock")
    case .notLocked: (cause, what) = (.unlockNotNeeded, "there is no lock")
    case .tooSoon: (cause, what) = (.unlockCodeTooSoon, "less than an hour after another unlock")
    case .wrong(let left):
      throw Ending(
        .requestNotExist, text: .unlockCodeWrong(machine: label),
        log: "unlock, \(name): wrong; \(left) left before a pause")
    case .held(let time):
      (cause, what) = (
        .unlockCodesHeld,
        "not checked, for another \(time.components.seconds) s: too many codes were wrong"
      )
    }
    throw Ending(.requestNotExist, because: cause, log: "unlock, \(name): \(what)")
  }
}
