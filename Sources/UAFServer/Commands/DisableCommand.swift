import ArgumentParser
import UAFMessages

/// `uaf-server disable`: lets an account in by no way.
struct DisableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Refuse an account's logins, confirmations and registrations until 'enable'.",
    discussion: "Its keys and codes stay. Works while the server runs.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(help: ArgumentHelp("Why, for the audit and 'users', at most 200 bytes.", valueName: "text")) var reason:
    String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    try AccountStateChange.check(reason: reason)
  }

  func run() async throws {
    try await place.link { link in
      _ = try await link.ask(APIRequest(.PUT, ["accounts", user, "block"], body: ["reason": .string(reason)]))
    }
    json.print(["account": .string(user), "state": .string("disabled")], orElse: "disabled \(user)")
    Terminal.note(
      "what does not ask this server goes on: a public key of sshd, a password, cron, sessions that are open")
  }
}
