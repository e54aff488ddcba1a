import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

extension Session {
  /// How a denial of the text that waits ends: told to the server, and no login (999).
  ///
  /// No value is asked for, and no lock is in the way: whoever has the code may say no, since a no grants nothing. It is no
  /// success either: an authentication that succeeds has verified somebody. A denial that did not reach the server ends with what
  /// kept it away, so that nobody takes it for done.
  func denied(_ code: String, of account: AccountFile, _ client: ClientSettings, _ server: ServerSettings) -> Ending {
    do throws(Ending) {
      try deny(code, of: account, client, server)
      log(.approval, "denied")
      return Ending(.userCancel, text: .denied, log: "denied by the person")
    } catch { return error }
  }

  private func deny(
    _ code: String, of account: AccountFile, _ client: ClientSettings, _ server: ServerSettings
  ) throws(Ending) {
    var network = try self.network(server)
    var flow = DenialFlow(settings: client, username: account.identity.serverUserName, authCode: code)
    do throws(Refusal) {
      try flow.start(over: &network)
      try flow.finish(over: &network)
    } catch {
      var ending = Ending(error)
      if error.serverStatus == UAFStatusCode.unauthorized.rawValue { ending.text = .approvalIsOver }
      throw ending
    }
  }
}
