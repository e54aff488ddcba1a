import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration

/// Registers anew from the prompt, for a person who has forgotten the value but has a new enrolment code.
struct RegisterAgain {
  let tools: RegistrationTools
  let codes: EnrolmentCodes

  /// Asks for the code and the new value, and registers.
  ///
  /// The old value and its attempts stay until the server has accepted the new key.
  ///
  /// - Returns: the ending, always 980: a registration logs nobody in.
  /// - Throws: ``Ending``: cancelled, or the registration failed.
  func run(_ held: AccountAuthenticators) throws(Ending) -> Ending {
    try tools.prompter.show(.registerAgainChosen)
    let chosen = held.types.count == 1 ? held.types.first : try tools.prompter.chooseType(among: held.types)
    guard let type = chosen else {
      return Ending(.resetChosen, log: "registering anew was chosen, and no authenticator")
    }
    guard let text = try tools.prompter.askCode() else {
      return Ending(.resetChosen, log: "registering anew was chosen, and no code entered")
    }
    let settings = try tools.server.settings()
    let client = try tools.server.clientSettings(settings)
    let authority = try codes.authority(entered: text, for: held.account, settings)
    let driver = try RegistrationDriver(
      tools, client, settings, held.account, held.account.identity, RegistrationWord(authority: authority),
      among: [type], named: type,
      in: try tools.accounts.openState(), replacingValues: true)
    _ = try driver.run()
    tools.log.write(.keys, "\(type.rawValue) was registered anew with an enrolment code")
    return Ending(.resetChosen, text: .registeredAgain(type.kind), log: "registered anew; not a login")
  }
}
