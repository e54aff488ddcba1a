import ArgumentParser
import UAFMessages

/// `uaf-server enable`: ends what disables or locks an account.
struct EnableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Let an account in again that was disabled or locked.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    try await place.link { link in _ = try await link.ask(APIRequest(.DELETE, ["accounts", user, "block"])) }
    json.print(["account": .string(user), "state": .string("active")], orElse: "enabled \(user)")
  }
}
