import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFWire

/// Removes an authenticator's secret, which makes its keys unusable.
///
/// The secret need not be known. Root may do this at any time. A person needs an enrolment code, which the server must accept
/// before anything is removed: otherwise any program of that person could remove the key. The server then also deletes this
/// machine's keys of the authenticator. If the server's success is not signed, only root may reset. Otherwise a program that
/// controls uaf-fetch could report any code as accepted, and an account whose secret was removed registers with any code.
struct ResetOperation: CallOperation {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let server: ServerAccess
  let codes: EnrolmentCodes
  let deletion: KeyDeletion
  let log: CallLog

  func run() throws(Ending) -> Success {
    let named = try policy.namedType()
    let uid = try call.caller.requireAccount()
    let isRoot = call.caller.isRoot
    let isByCode = call.begin.payload != nil
    guard isRoot || isByCode else {
      // If a code would be refused, the text does not ask for one.
      throw Ending(.authenticatorResetFailed, because: obstacle ?? .codeMissing, log: "no code")
    }
    let held = try accounts.requireAuthenticators(of: uid, named, else: .resetNone)
    if !isRoot, let obstacle {
      throw Ending(
        .authenticatorResetFailed, because: obstacle,
        log: obstacle == .resetsNotSigned
          ? "a reset with a code needs server.require_signed_verdict, which is not set"
          : "at this server no code can reset anything")
    }
    try accounts.requireNotBlocked(held.account)
    let typed = held.types.filter(\.isTyped)
    guard !typed.isEmpty else { throw Ending(.resetInvalidType, log: "a fingerprint is not a value that can be reset") }
    // Root is not prompted, because a script may be the caller.
    let chosen = try named == nil && typed.count > 1 && !isRoot ? prompter.chooseType(among: typed) : typed.first
    guard let type = named ?? (typed.count == 1 || !isRoot ? chosen : nil) else {
      throw Ending(.authenticatorResetFailed, because: .severalToName, log: "no type was named")
    }
    if isByCode { try deregisterByCode(type, of: held.account) }
    do throws(StateError) {
      try accounts.tellingRemovedLocks(of: held.account) { () throws(StateError) in try held.account.reset(type) }
    } catch { throw Ending(.resetFailed, log: "\(error)") }
    log.write(.keys, "\(type.rawValue) was reset, by \(isRoot ? "root" : "an enrolment code")")
    return Success(
      result: .resetSuccess, text: .reset(type.kind, user: call.shownName, serverKnows: !isByCode))
  }

  /// Why no code of a person can reset anything at the configured server; nil if one can.
  private var obstacle: EndCause? {
    guard let settings = try? server.settings() else { return .resetsNotSigned }
    if !settings.enrolment.takesCodes || settings.enrolment == .token || settings.dialect == .plain {
      return .codesResetNothing
    }
    guard settings.hasDeregistration else { return .resetsNotTold }
    return server.isVerdictUnsigned ? .resetsNotSigned : nil
  }

  /// Has the server delete this machine's keys of one authenticator.
  ///
  /// The server does so only for a valid code.
  private func deregisterByCode(_ type: AuthenticatorType, of account: AccountFile) throws(Ending) {
    let settings = try server.settings()
    let client = try server.clientSettings(settings)
    let entitlement = try codes.entitlement(for: account, settings)
    guard client.judgesCodes, client.deregisters, client.device.id != nil else {
      throw Ending(
        .authenticatorResetFailed, because: .codesResetNothing,
        log: "the server cannot check an enrolment code")
    }
    try prompter.requireFrontEnd()
    var network = try server.network(settings, for: account)
    let scope = try KeyDeletion.scope(type)
    let keyIDs = try deletion.keyIDs(of: account, type)
    _ = try deletion.order(
      scope, keyIDs, entitlement, of: account.identity.serverUserName, client, over: &network
    ) { Ending(judgingCode: $0, serversNo: .authenticatorResetFailed) }
  }
}
