import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFWire

/// Sets a new secret for an authenticator after the old one was entered.
///
/// The entry of the old secret counts as an attempt. The server is not involved. PAM calls the password stage twice. So if the
/// module is the front end, the operation sends *ready* after the old secret and waits for *resume*: both calls are one
/// conversation.
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
    let held = try accounts.requireAuthenticators(of: uid, named, call.caller.isTool ? nil : .nothingToChange)
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

  /// `PAM_CHANGE_EXPIRED_AUTHTOK`: a login succeeded with a stale secret, which must be changed now.
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
      // Only a stale secret is to be changed, and the secret that was entered is not stale.
      right.append(type)
      guard held.named == nil, let other = typed.first(where: { !right.contains($0) }) else {
        throw Ending(.authenticatorChangeFailed, because: .nothingStale, log: "the value meets the rules")
      }
      try prompter.showError(PromptText.valueMeetsRules(type.kind, other: other.kind).text(in: policy.language))
      first = other
    }
  }

  /// The type for which the first prompt asks.
  ///
  /// If a login demands the change, it is the type whose stale secret the login recorded.
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
