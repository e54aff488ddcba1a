import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

/// Tells the server that the person denies the text that waits.
struct Denial {
  let server: ServerAccess
  let log: CallLog

  /// How a denial ends: told to the server, and no login (999).
  ///
  /// No value is asked for, and no lock is in the way: whoever has the code may say no, since a no grants nothing. It is no
  /// success either: an authentication that succeeds has verified somebody. A denial that did not reach the server ends with what
  /// kept it away, so that nobody takes it for done.
  func deny(_ code: String, of account: AccountFile, _ client: ClientSettings, _ settings: ServerSettings) -> Ending {
    do throws(Ending) {
      try tell(code, of: account, client, settings)
      log.write(.approval, "denied")
      return Ending(.userCancel, text: .denied, log: "denied by the person")
    } catch { return error }
  }

  private func tell(
    _ code: String, of account: AccountFile, _ client: ClientSettings, _ settings: ServerSettings
  ) throws(Ending) {
    var network = try server.network(settings)
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
