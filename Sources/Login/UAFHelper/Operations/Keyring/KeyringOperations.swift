import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Keeps the password of the person's keyring under an authenticator, after its value was entered.
///
/// The entry of the value counts as an attempt. The server is not involved: nothing is opened with the password here.
struct KeyringSetOperation: CallOperation {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let check: ValueCheck
  let log: CallLog

  func run() throws(Ending) -> Success {
    guard policy.configuration.keyring.unlock else {
      throw Ending(.invalidParameter, because: .keyringOff, log: "[keyring] unlock is not set")
    }
    let named = try policy.namedType()
    let uid = try call.caller.requireAccount()
    let held = try accounts.requireAuthenticators(of: uid, named)
    let unlocked = try open(held)
    guard let password = try prompter.askKeyringPassword() else { throw prompter.cancelled("cancelled by the person") }
    let isKept: Bool
    do throws(StateError) {
      isKept = try held.account.keepKeyring(password, with: unlocked.authenticator)
    } catch { throw Ending(error) }
    guard isKept else {
      throw Ending(.invalidParameter, because: .keyringPasswordUnusable, log: "the keyring's password cannot be kept")
    }
    log.write(.keyring, "a password is kept under the \(unlocked.type.rawValue)")
    return Success(text: .keyringKept(unlocked.type.kind, user: call.shownName))
  }

  private func open(_ held: AccountAuthenticators) throws(Ending) -> UnlockedAuthenticatorBox {
    let typed = held.types.filter(\.isTyped)
    guard !typed.isEmpty else {
      throw Ending(.noSuitableAuthenticator, because: .typesNotAccepted, log: "no value that can be typed")
    }
    let only = held.named ?? (typed.count == 1 ? typed.first : nil)
    while true {
      let chosen: AuthenticatorType? = if let only { only } else { try prompter.chooseType(among: typed) }
      guard let type = chosen else {
        throw Ending(.noSuitableAuthenticator, because: .nothingChosen, log: "nothing in the list was chosen")
      }
      let unlocked = try check.askAndVerify(
        held.account, type, in: held.directory, attempts: held.attempts(type, tries: policy.tries),
        canGoBack: only == nil)
      if let unlocked { return unlocked }
    }
  }
}

/// Removes the kept password of the person's keyring.
///
/// It needs no value: without the password, the person only has to type it again.
struct KeyringForgetOperation: CallOperation {
  let call: Call
  let accounts: AccountAccess
  let log: CallLog

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    let directory = try accounts.openState()
    guard let account = try accounts.open(uid, in: directory) else {
      throw Ending(.notRegistered, because: .nothingHere, log: "nothing to forget")
    }
    let kept: [AuthenticatorType]
    do throws(StateError) { kept = try account.declineKeyring() } catch { throw Ending(error) }
    if !kept.isEmpty { log.write(.keyring, "the kept password was removed, because it was asked for") }
    return Success(text: .keyringForgotten(user: call.shownName, wasKept: !kept.isEmpty))
  }
}

/// Hands the password of the person's keyring to the host of a login, once the value was right and the server has accepted.
///
/// The host's next modules (pam_gnome_keyring, pam_kwallet5) open the keyring with it. It never makes a login fail: if something
/// is missing, the keyring stays locked, as it would without this.
struct KeyringHandover {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let log: CallLog

  /// Hands over the password that is kept under an authenticator that was opened.
  ///
  /// If none is kept and the person was not asked before, asks for it once.
  ///
  /// - Throws: ``Ending`` only if the front end is gone.
  func handOver(with held: AccountAuthenticators, after success: Success) throws(Ending) {
    // Without the server nobody has said that the account may still use what the keyring holds.
    guard isAllowed, success.offlineAge == nil else { return }
    let typed = held.opened.filter(\.type.isTyped)
    guard let first = typed.first else { return }
    var isDecided = false
    for unlocked in typed {
      switch kept(under: unlocked, held.account) {
      case .password(let password): return try hand(password, of: unlocked.type)
      case .nothing: continue
      case .decided: isDecided = true
      }
    }
    if !isDecided { try askOnce(first, held) }
  }

  /// What is kept under one authenticator.
  private enum Kept: ~Copyable {
    case password(Secret)
    /// Nothing was decided for this authenticator.
    case nothing
    /// The person wants no password to be kept, or it cannot be opened.
    case decided
  }

  private func kept(under unlocked: UnlockedAuthenticatorBox, _ account: AccountFile) -> Kept {
    do throws(StateError) {
      guard try account.keyring(unlocked.type) != nil else { return .nothing }
      guard let password = try account.keyringPassword(with: unlocked.authenticator) else { return .decided }
      return .password(password)
    } catch {
      log.write(.state, "the kept password of the keyring cannot be opened: \(error)", .warning)
      return .decided
    }
  }

  private func hand(_ password: borrowing Secret, of type: AuthenticatorType) throws(Ending) {
    try prompter.hand(password)
    log.write(.keyring, "the password was handed to the host, after a login by \(type.rawValue)")
  }

  /// Asks for the password, keeps it, and hands it over; an empty line means that none is to be kept.
  ///
  /// A host that can show only one prompt is not asked.
  private func askOnce(_ unlocked: UnlockedAuthenticatorBox, _ held: AccountAuthenticators) throws(Ending) {
    guard policy.canChoose else { return }
    let entry: Secret?
    do throws(Ending) { entry = try prompter.askKeyringPassword(canDecline: true) } catch {
      // The login has succeeded, whatever becomes of this question.
      guard [.notInteractive, .userCancel].contains(error.result) else { throw error }
      return
    }
    guard let password = entry else { return }
    guard password.count > 0 else {
      if isDeclined(in: held.account) { try prompter.show(.keyringDeclined) }
      return
    }
    switch keep(password, under: unlocked, held.account) {
    case true?: log.write(.keyring, "a password is kept under the \(unlocked.type.rawValue)")
    case false?: return try prompter.show(.cause(.keyringPasswordUnusable))
    // It opens the keyring this time, and the next login asks again.
    case nil: break
    }
    try hand(password, of: unlocked.type)
  }

  /// Notes that the person wants no password to be kept.
  ///
  /// - Returns: whether that could be noted.
  private func isDeclined(in account: AccountFile) -> Bool {
    do throws(StateError) { _ = try account.declineKeyring() } catch {
      log.write(.state, "that no password of the keyring is to be kept could not be noted: \(error)", .warning)
      return false
    }
    return true
  }

  /// Keeps a password under an authenticator.
  ///
  /// - Returns: whether it can be kept; nil if it could not be stored.
  private func keep(
    _ password: borrowing Secret, under unlocked: UnlockedAuthenticatorBox, _ account: AccountFile
  ) -> Bool? {
    do throws(StateError) { return try account.keepKeyring(password, with: unlocked.authenticator) } catch {
      log.write(.state, "the password of the keyring could not be kept: \(error)", .warning)
      return nil
    }
  }

  /// Whether this call may open the keyring: root's configuration, host, person and service.
  private var isAllowed: Bool {
    let (begin, caller, settings) = (call.begin, call.caller, policy.configuration.keyring)
    guard settings.unlock, begin.takesKeyring, call.isLogin, begin.payload == nil, caller.isRoot, !caller.isTool else {
      return false
    }
    // A greeter and login are run by root itself. If a person has called the host, it is sudo, su or a program like them.
    guard caller.origin == .local, caller.callerUID == 0, caller.remoteHost?.isEmpty ?? true else { return false }
    return caller.service.map(settings.services.contains) ?? false
  }
}
