import Authenticator
import FidoResults

/// Lifts every lock of an account; only root may, and it is logged, whoever root was.
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
    do throws(StateError) { try account.unlock() } catch { throw Ending(error) }
    log.audit(.unlockedByRoot, of: account.identity)
    return Success(detail: "unlocked")
  }
}
