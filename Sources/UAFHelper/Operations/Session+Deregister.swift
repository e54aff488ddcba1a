import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

extension Session {
  /// Gives keys back: proves the account here and to the server, has the server forget, then forgets.
  func deregister() throws(Ending) -> Success {
    let server = try server()
    let client = try clientSettings(server)
    let type = try chosenType()
    let uid = try caller.requireAccount()
    let directory = try openState()
    guard let account = try openAccount(uid, in: directory), try isEnrolled(account, type) else {
      throw Ending(.notRegistered, log: "no key of this account on this machine")
    }
    let token = try authenticate(account, type, client, server, proving: .deregistration, in: directory)
    let aaid: AAID
    do throws(MessageError) { aaid = try AAID(type.aaid) } catch { throw Ending(StateError.damaged) }
    let scope = begin.operation == .deregisterAll ? DeregistrationScope.all : .authenticator(aaid)
    let order = try order(scope, token, account, client, server)
    try forgetKeys(order, of: account)
    return Success(text: .deregistered(user: account.identity.serverUserName))
  }

  /// - Parameter proof: the server's token; whether it wants one is for the server to say.
  private func order(
    _ scope: DeregistrationScope, _ proof: String?, _ account: AccountFile, _ client: ClientSettings,
    _ server: ServerSettings
  ) throws(Ending) -> DeregistrationOrder {
    var network = try self.network(server)
    var flow = DeregistrationFlow(
      settings: client, username: account.identity.serverUserName, scope: scope, proof: proof)
    do throws(Refusal) {
      try flow.start(over: &network)
      return try flow.collect(over: &network)
    } catch { throw Ending(error) }
  }

  /// Only this account's keys, only for the application the server spoke of: a wildcard reaches no further.
  private func forgetKeys(_ order: DeregistrationOrder, of account: AccountFile) throws(Ending) {
    let named = try keys(of: account).filter { key in
      guard key.appID == order.appID, let aaid = try? AAID(key.type.aaid), let keyID = try? KeyID(bytes: key.keyID)
      else { return false }
      return order.names(aaid, keyID)
    }
    guard !named.isEmpty else {
      var ending = Ending(.invalidParameter, log: "the server's order names no key of this account on this machine")
      ending.isServers = true
      throw ending
    }
    do throws(StateError) { try account.remove(named.map(\.keyID)) } catch { throw Ending(error) }
    log("deregistered", "\(named.count) key(s) removed")
  }
}
