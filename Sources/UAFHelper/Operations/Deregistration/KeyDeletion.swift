import Authenticator
import UAFClient
import UAFMessages

/// Has the server delete keys of an account.
struct KeyDeletion {
  let accounts: AccountAccess
  let server: ServerAccess

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
  /// - Parameter refused: makes the ending of the server's refusal.
  /// - Throws: ``Ending``; 1002 where root demands signatures and the server has not signed what it has deleted.
  func order(
    _ scope: DeregistrationScope, _ keyIDs: [KeyID], _ authority: Authority, of username: String,
    _ client: ClientSettings, over network: inout Network, refused: (Refusal) -> Ending
  ) throws(Ending) -> DeregistrationOrder {
    var flow = DeregistrationFlow(
      settings: client, username: username, scope: scope, keyIDs: keyIDs, authority: authority)
    let order: DeregistrationOrder
    do throws(Refusal) {
      try flow.start(over: &network)
      order = try flow.collect(over: &network)
    } catch { throw refused(error) }
    try server.believe(order)
    // The server's last success was for keys that it has now deleted.
    accounts.noteRefusal()
    return order
  }
}
