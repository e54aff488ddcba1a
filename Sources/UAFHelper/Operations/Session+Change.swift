import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

extension Session {
  /// A new value for an authenticator, the old one first, which is an attempt; the server has no part in it.
  ///
  /// Where the call is divided the front end hears *ready* between the two, and asks for the rest with *resume*: that is
  /// how PAM's two passes over the password stage become one conversation.
  func change() throws(Ending) -> Success {
    let named = try namedType()
    let uid = try caller.requireAccount()
    guard let held = try authenticators(of: uid, named) else {
      var ending = Ending(.notRegistered, log: "no value of this account on this machine")
      ending.leavesToOthers = !caller.isTool
      throw ending
    }
    let unlocked = try openForChange(held)
    if begin.isDivided, try !frontEnd.awaitResume() { throw cancelled("cancelled before the new value") }
    let value = try askNewValue(unlocked.type, old: unlocked)
    let slot = try takeSlot(in: held.directory)
    do throws(StateError) {
      try held.account.change(
        unlocked.authenticator, to: value, cost: derivationCost, in: held.directory, holding: slot)
    } catch { throw Ending(.changeFailed, log: "\(error)") }
    return Success(result: .changeSuccess, text: .changed(unlocked.type.kind, user: shownName))
  }

  /// `PAM_CHANGE_EXPIRED_AUTHTOK`: a login was let in with a value that has to be changed.
  private var asksForStaleValue: Bool { begin.pamFlags & 0x20 != 0 }

  private func openForChange(_ held: AccountAuthenticators) throws(Ending) -> UnlockedAuthenticatorBox {
    var first = try firstToChange(of: held)
    var right: [AuthenticatorType] = []
    while true {
      let chosen = if let first { first } else { try chooseType(among: held.types) }
      guard let type = chosen else {
        throw Ending(.authenticatorChangeFailed, because: .nothingChosen, log: "nothing of the list was chosen")
      }
      let unlocked = try verify(
        held.account, type, in: held.directory, attempts: held.attempts(type, tries: tries), canGoBack: first == nil,
        keepsValue: true)
      guard let unlocked else { continue }
      if !asksForStaleValue || unlocked.valueIsStale { return unlocked }
      // A login that asked for a change is not content with a change of something else.
      right.append(type)
      guard held.named == nil, let other = held.types.first(where: { !right.contains($0) }) else {
        throw Ending(.authenticatorChangeFailed, because: .nothingStale, log: "the value meets the rules")
      }
      try frontEnd.send(.error(PromptText.valueMeetsRules(type.kind, other: other.kind).text(in: language)))
      first = other
    }
  }

  /// What is asked for without a question: for a login's change the value that the login found stale, which it noted.
  private func firstToChange(of held: AccountAuthenticators) throws(Ending) -> AuthenticatorType? {
    guard asksForStaleValue, held.named == nil else { return try firstType(of: held) }
    let noted: AuthenticatorType?
    do throws(StateError) { noted = try held.account.lastUsed() } catch { throw Ending(error) }
    guard let noted, held.types.contains(noted) else { return try firstType(of: held) }
    return noted
  }
}
