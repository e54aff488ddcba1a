import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// The approval or denial of a text that waits at the server: a login that was started with an approval payload.
struct ApprovalOperation: CallOperation {
  let account: LoginAccount
  let authentication: AuthenticationTools
  let codes: EnrolmentCodes
  let denial: Denial

  func run() throws(Ending) -> Success {
    let server = authentication.server
    let settings = try server.settings()
    let client = try server.clientSettings(settings)
    let held = try account.find(client, settings)
    let code = try codes.code(.authentication, for: held.account, settings)
    if authentication.call.begin.denies { throw denial.deny(code, of: held.account, client, settings) }
    let driver = try LoginDriver(authentication, held, client, settings, for: .approval(code: code))
    let success: Success
    do throws(Ending) { success = try driver.run() } catch {
      if error.circumstance == .denial { throw denial.deny(code, of: held.account, client, settings) }
      throw error
    }
    return try account.finish(success, held)
  }
}

/// Tells the server that the person denies a text that waits there.
struct Denial {
  let server: ServerAccess
  let log: CallLog

  /// Sends the denial to the server.
  ///
  /// If the server accepts it, the result is 999.
  ///
  /// This needs no secret, and no lock prevents it: anybody who has the code may deny the text, because a denial grants
  /// nothing. The call does not succeed, because nobody was verified. If the denial did not reach the server, the call ends
  /// with the reason for that, so that nobody believes that the text was denied.
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
    var network = try server.network(settings, for: account)
    var flow = DenialFlow(settings: client, username: account.identity.serverUserName, authCode: code)
    do throws(Refusal) {
      try flow.start(over: &network)
      try flow.finish(over: &network)
    } catch {
      let isOver = error.serverStatus == UAFStatusCode.unauthorized.rawValue
      throw isOver ? Ending(error).saying(.approvalIsOver) : Ending(error)
    }
  }
}
