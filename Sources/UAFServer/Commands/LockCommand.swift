import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server lock`: lets an account in by no way for some time.
struct LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Refuse an account's logins, confirmations and registrations for some time.",
    discussion: "Its keys and codes stay. Works while the server runs. 'enable' ends it earlier.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(name: .customLong("for"), help: ArgumentHelp("How long, 1 to 31536000.", valueName: "seconds"))
  var seconds: Int64
  @Option(help: ArgumentHelp("Why, for the audit and 'users', at most 200 bytes.", valueName: "text")) var reason:
    String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    guard AccountStateAdministration.lockTimes.contains(seconds) else {
      throw ValidationError("--for must be 1 to \(AccountStateAdministration.lockTimes.upperBound) seconds.")
    }
    try AccountStateChange.check(reason: reason)
  }

  func run() async throws {
    let body: JSONObject = ["reason": .string(reason), "seconds": .integer(seconds)]
    try await place.link { link in
      _ = try await link.ask(APIRequest(.PUT, ["accounts", user, "block"], body: body))
    }
    json.print(
      ["account": .string(user), "state": .string("locked"), "seconds": .integer(seconds)],
      orElse: "locked \(user) for \(seconds) seconds")
  }
}
