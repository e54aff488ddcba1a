import Authenticator
import FidoResults
import UAFWire

/// Has an account's new name take over what was registered under its old one; only root may.
///
/// No value is asked for: root says that both names are one person's, and whoever has the new name needs the value as before.
/// That nobody else has the old name is uafctl's to check, which may ask the name services.
struct RenameOperation: CallOperation {
  let call: Call
  let accounts: AccountAccess
  let log: CallLog

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    guard let name = call.caller.name, let old = call.begin.payload, !old.isEmpty else {
      throw Ending(.invalidParameter, log: "rename: no name")
    }
    let directory = try accounts.openState()
    let identity: AccountIdentity
    do throws(StateError) {
      identity = try AccountFile.takeOver(in: directory, uid: uid, from: old, to: name)
    } catch {
      if error == .absent { throw Ending(.notRegistered, because: .nothingHere, log: "nothing to rename") }
      throw error == .identityMismatch ? accounts.renamed(uid, in: directory) : Ending(error)
    }
    log.audit(.renamed, of: identity)
    let text = PromptText.renamed(
      user: call.shownName, from: String(decoding: old, as: UTF8.self), server: identity.serverUserName)
    return Success(text: text)
  }
}
