import Authenticator
import FidoResults

/// Removes everything of an account, as if it had never registered; only root may.
struct ForgetOperation: CallOperation {
  let call: Call
  let accounts: AccountAccess
  let locks: LockLog

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    let directory = try accounts.openState()
    // A file that cannot be read is removed too: that is the most frequent use of this operation.
    let account = try? accounts.open(uid, in: directory)
    let wasLocked = account.map { !accounts.lockedTypes(of: $0).isEmpty } ?? false
    let isForgotten: Bool
    do throws(StateError) { isForgotten = try AccountFile.forget(in: directory, uid: uid) } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
    // What it had in the chip is known by its mark, whether its file could be read or not.
    try? accounts.removeLeftovers(of: uid, in: directory)
    guard isForgotten else { throw Ending(.notRegistered, because: .nothingHere, log: "nothing to forget") }
    if let account, wasLocked { locks.removed(account.identity) }
    return Success(text: .forgotten(user: call.shownName))
  }
}
