import Authenticator
import FidoResults

/// Removes every lock of an account, and what killed calls have left of it in the chip; only root may.
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
    return Success(detail: "unlocked")
  }
}
