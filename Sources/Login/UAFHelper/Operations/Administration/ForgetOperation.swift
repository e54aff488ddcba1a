import Authenticator
import FidoResults
import UAFConfiguration
import UAFMessages
import UAFWire

/// Removes everything about an account, as if it had never registered; only root may do this.
struct ForgetOperation: CallOperation {
  let call: Call
  let accounts: AccountAccess
  let locks: LockLog

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    let directory = try accounts.openState()
    // A file that cannot be read is removed too. Such a file is the usual reason to use this operation.
    let account = try? accounts.open(uid, in: directory)
    let wasLocked = account.map { !accounts.lockedTypes(of: $0).isEmpty } ?? false
    let isForgotten: Bool
    do throws(StateError) { isForgotten = try AccountFile.forget(in: directory, uid: uid) } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
    // The account's shares in the chip can be found by the share identifier, even if the account's file cannot be read.
    try? accounts.removeLeftovers(of: uid, in: directory)
    guard isForgotten else { throw Ending(.notRegistered, because: .nothingHere, log: "nothing to forget") }
    if let account, wasLocked { locks.removed(account.identity) }
    return Success(text: .forgotten(user: call.shownName))
  }
}

/// Lets an account's new name use what was registered under its old name; only root may do this.
///
/// No secret is needed: root states that both names belong to the same person, and that person still needs the secret to log
/// in. uafctl checks that nobody else has the old name, because the core itself does not ask the name services.
struct RenameOperation: CallOperation {
  let call: Call
  let accounts: AccountAccess
  let log: CallLog

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    guard let name = call.caller.name, let old = call.begin.formerName, !old.isEmpty else {
      throw Ending(.invalidParameter, log: "rename: no name")
    }
    let directory = try accounts.openState()
    let registered = try? AccountFile.registeredName(in: directory, uid: uid)
    guard registered != name else {
      let (now, before) = (call.shownName, Text.cleaned(String(decoding: old, as: UTF8.self), limit: 64))
      throw Ending(
        .invalidParameter,
        detail: RootText(
          "'\(now)' is registered under this name: there is nothing to move from '\(before)'",
          korean: "'\(now)' 계정은 이 이름으로 등록되어 있으므로 '\(before)'에서 옮길 것이 없습니다"),
        log: "rename: registered under this name")
    }
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

/// Makes this machine use the server and the CA that a payload names; only root may do this.
struct TrustOperation: CallOperation {
  let configuration: Configuration
  let folder: StateFolder
  let codes: EnrolmentCodes

  func run() throws(Ending) -> Success {
    let payload = try codes.payload()
    if let configured = configuration.server?.urls.first {
      throw Ending(
        .invalidParameter,
        detail: RootText(
          "the configuration already names a server (\(configured.text)): change it there",
          korean: "설정에 이미 서버가 있습니다(\(configured.text)). 설정에서 바꾸십시오"),
        log: "trust: the configuration names a server")
    }
    _ = try folder.open()
    try TrustedServer.store(payload, in: folder.path)
    return Success(
      detail: RootText("trusting \(payload.server)", korean: "\(payload.server) 서버를 신뢰합니다"))
  }
}
