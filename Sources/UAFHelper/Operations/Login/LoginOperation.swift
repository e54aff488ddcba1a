import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFWire

/// A login: the person is verified first here, then at the server.
struct LoginOperation: CallOperation {
  let account: LoginAccount
  let authentication: AuthenticationTools
  /// The machine's name, which stands in a text to be confirmed.
  let hostName: String

  func run() throws(Ending) -> Success {
    let server = authentication.server
    let settings = try server.settings()
    let client = try server.clientSettings(settings)
    let held = try account.find(client, settings)
    try takeOwnText(of: held.account)
    let driver = try LoginDriver(authentication, held, client, settings)
    return try account.finish(try driver.run(), held)
  }

  /// Takes the text that a peer without root wants confirmed.
  ///
  /// The name in it is known only now.
  private func takeOwnText(of account: AccountFile) throws(Ending) {
    let call = authentication.call
    guard call.begin.transaction != nil, authentication.prompter.confirmed == nil else { return }
    let source = TransactionSource(call.begin, call.caller, hostName: hostName, account: account.identity.name)
    authentication.prompter.confirm(TextToConfirm(text: try source.text(in: authentication.server.charset)))
  }
}
