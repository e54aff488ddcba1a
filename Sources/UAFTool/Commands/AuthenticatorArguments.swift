import ArgumentParser
import UAFWire

/// `[USER] [TYPE]`, for the subcommands about a registered authenticator.
struct AuthenticatorArguments: ParsableArguments {
  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: MachineCompletion.peopleAndTypes)
  var user: String?

  @Argument(
    help: "Authenticator type, such as passcode. Not needed where there is one.", completion: MachineCompletion.types)
  var type: String?

  /// A request about what they name.
  ///
  /// - Parameter account: the account, if an option names it; a single argument is then the type.
  func request(_ operation: UAFWire.Operation, of account: String? = nil, in context: ToolContext) -> Request {
    var request = Request(operation, about: Names(user: user, type: type, accounts: context.caller.accounts))
    if let account { (request.user, request.mayNameType, request.authenticator) = (account, false, user) }
    return request
  }
}
