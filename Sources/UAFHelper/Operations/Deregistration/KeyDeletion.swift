import Authenticator
import UAFClient
import UAFMessages

/// Has the server delete keys of an account.
struct KeyDeletion {
  let accounts: AccountAccess

  /// One type of this machine, or everything.
  ///
  /// - Throws: ``Ending`` if the type has no valid AAID.
  static func scope(_ type: AuthenticatorType?) throws(Ending) -> DeregistrationScope {
    guard let type else { return .all }
    do throws(MessageError) { return .authenticator(try AAID(type.aaid)) } catch { throw Ending(StateError.damaged) }
  }

  /// The KeyIDs that this machine made for an account's authenticators of a type; nil for all of them.
  ///
  /// - Throws: ``Ending``.
  func keyIDs(of account: AccountFile, _ type: AuthenticatorType?) throws(Ending) -> [KeyID] {
    try OwnKeys.keyIDs(
      of: account.identity, held: try accounts.keys(of: account), ofType: type, in: try accounts.openState())
  }

  /// Has the server delete keys of an account and name them.
  ///
  /// - Throws: `Refusal` of the server.
  func order(
    _ scope: DeregistrationScope, _ keyIDs: [KeyID], _ proof: DeregistrationProof, of username: String,
    _ client: ClientSettings, over network: inout Network
  ) throws(Refusal) -> DeregistrationOrder {
    var flow =
      switch proof {
      case .token(let token):
        DeregistrationFlow(settings: client, username: username, scope: scope, keyIDs: keyIDs, proof: token)
      case .code(let code):
        DeregistrationFlow(settings: client, username: username, scope: scope, keyIDs: keyIDs, authCode: code)
      }
    try flow.start(over: &network)
    let order = try flow.collect(over: &network)
    // The server's last success was for keys that it has now deleted.
    accounts.noteRefusal()
    return order
  }
}
