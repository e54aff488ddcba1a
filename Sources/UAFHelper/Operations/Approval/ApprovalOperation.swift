import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// The approval or denial of a text that waits at the server: a login with a payload.
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
