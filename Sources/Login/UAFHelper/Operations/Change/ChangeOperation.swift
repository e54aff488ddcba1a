import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFWire

/// Sets a new value for an authenticator after the old one was entered.
///
/// The entry of the old value is an attempt. No server is asked. PAM calls the password stage twice. In that case, the call
/// sends *ready* after the old value and waits for *resume*, so that both are one conversation.
struct ChangeOperation: CallOperation {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let opener: AuthenticatorOpener
  let check: ValueCheck
  let newValue: NewValueDialogue
  let queue: DerivationQueue

  func run() throws(Ending) -> Success {
    let named = try policy.namedType()
    let uid = try call.caller.requireAccount()
    guard let held = try accounts.authenticators(of: uid, named) else {
      throw Ending(
        .notRegistered, text: try accounts.causeOfMissing(named).map(PromptText.cause),
        log: "no value of this account on this machine",
        call.caller.isTool ? nil : .nothingToChange)
    }
    let unlocked = try openOld(held)
    if call.begin.isDivided { try prompter.awaitResume(orLog: "cancelled before the new value") }
    let value = try newValue.ask(unlocked.type, old: unlocked)
    let slot = try queue.takeSlot(in: held.directory)
    do throws(StateError) {
      try held.account.change(
        unlocked.authenticator, to: value, cost: policy.derivationCost, in: held.directory, holding: slot)
    } catch { throw error == .share ? accounts.ending(for: error) : Ending(.changeFailed, log: "\(error)") }
    let isDead = try accounts.deadTypes(held.account).contains(unlocked.type)
    return Success(
      result: .changeSuccess,
      text: isDead
        ? .changedButRefused(unlocked.type.kind, user: call.shownName)
        : .changed(unlocked.type.kind, user: call.shownName))
  }

  private static var noValue: Ending {
    Ending(.changeInvalid, log: "a fingerprint is not a value that can be changed")
  }

  /// `PAM_CHANGE_EXPIRED_AUTHTOK`: a login succeeded with a value that must be changed.
  private var asksForStaleValue: Bool { call.begin.pamFlags & 0x20 != 0 }

  private func openOld(_ held: AccountAuthenticators) throws(Ending) -> UnlockedAuthenticatorBox {
    var first = try firstToChange(of: held)
    var right: [AuthenticatorType] = []
    while true {
      let typed = held.types.filter(\.isTyped)
      let chosen = if let first { first } else { try prompter.chooseType(among: typed) }
      guard let type = chosen else {
        throw Ending(.authenticatorChangeFailed, because: .nothingChosen, log: "nothing in the list was chosen")
      }
      let unlocked = try check.askAndVerify(
        held.account, type, in: held.directory, attempts: held.attempts(type, tries: policy.tries),
        canGoBack: first == nil, keepsValue: true)
      guard let unlocked else { continue }
      if !asksForStaleValue || unlocked.valueIsStale { return unlocked }
      // The login asked for the change of a stale value, and this value is not stale.
      right.append(type)
      guard held.named == nil, let other = typed.first(where: { !right.contains($0) }) else {
        throw Ending(.authenticatorChangeFailed, because: .nothingStale, log: "the value meets the rules")
      }
      try prompter.showError(PromptText.valueMeetsRules(type.kind, other: other.kind).text(in: policy.language))
      first = other
    }
  }

  /// The type that is asked for first: for a change that a login asked for, the stale value that the login noted.
  private func firstToChange(of held: AccountAuthenticators) throws(Ending) -> AuthenticatorType? {
    let typed = held.types.filter(\.isTyped)
    guard !typed.isEmpty else { throw Self.noValue }
    if typed.count == 1 { return typed.first }
    guard asksForStaleValue, held.named == nil else { return try opener.firstType(of: held) }
    let noted: AuthenticatorType?
    do throws(StateError) { noted = try held.account.lastUsed() } catch { throw Ending(error) }
    guard let noted, held.types.contains(noted) else { return try opener.firstType(of: held) }
    return noted
  }
}
