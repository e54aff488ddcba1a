import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

extension Session {
  /// Wipes a value and makes its keys unusable, whether the value is known or not.
  ///
  /// Root may; the person with an enrolment code, which the server has to accept before anything is wiped: whoever runs as that
  /// person could otherwise take the key away. With a code the server forgets this machine's keys of the authenticator too.
  /// Where the server's yes is not signed, only root may reset. uafctl would otherwise reset with any code that uaf-fetch
  /// accepts, and an account without a value then registers with any code, too.
  func reset() throws(Ending) -> Success {
    let named = try namedType()
    let uid = try caller.requireAccount()
    let isByCode = begin.payload != nil
    guard caller.isRoot || isByCode else {
      throw Ending(
        .authenticatorResetFailed, because: .codeMissing, log: "no code")
    }
    guard caller.isRoot || !isWordUnsigned else {
      throw Ending(
        .authenticatorResetFailed, because: .resetsNotSigned,
        log: "a reset by code, and server.require_signed_verdict is not set")
    }
    guard let held = try authenticators(of: uid, named) else {
      throw Ending(.resetNone, log: "no value of this account on this machine")
    }
    guard let type = named ?? (held.types.count == 1 ? held.types.first : nil) else {
      throw Ending(.authenticatorResetFailed, because: .severalToName, log: "no type was named")
    }
    if isByCode { try deregisterByCode(type, of: held.account) }
    do throws(StateError) {
      try tellingRemovedLocks(of: held.account) { () throws(StateError) in try held.account.reset(type) }
    } catch { throw Ending(.resetFailed, log: "\(error)") }
    log(.keys, "\(type.rawValue) was reset, by \(caller.isRoot ? "root" : "an enrolment code")")
    return Success(
      result: .resetSuccess,
      text: .reset(type.kind, user: shownName, serverKnows: !isByCode))
  }

  /// Has the server forget this machine's keys of one authenticator, which it does only for a good code.
  private func deregisterByCode(_ type: AuthenticatorType, of account: AccountFile) throws(Ending) {
    let server = try server()
    let client = try clientSettings(server)
    let code = try code(for: account, server)
    guard client.dialect == .fido, client.device.id != nil else {
      throw Ending(
        .authenticatorResetFailed, because: .codesResetNothing,
        log: "the server cannot judge an enrolment code")
    }
    try requireFrontEnd()
    var network = try self.network(server)
    let scope = try scope(type)
    let keyIDs = try ownKeyIDs(of: account, type, in: try openState())
    do throws(Refusal) {
      _ = try order(scope, keyIDs, .code(code), of: account.identity.serverUserName, client, over: &network)
    } catch {
      var ending = Ending(judgingCode: error)
      if error.spokenByServer { ending.result = .authenticatorResetFailed }
      throw ending
    }
  }
}
