import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server admin add`: makes an account's person an administrator.
struct AdminAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Let an account's person administer the server, or give them another role.",
    discussion: """
      auditor reads; helpdesk gives out codes, but not for privileged accounts; operator revokes keys, manages accounts and \
      opens texts; administrator does everything.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Argument(help: "auditor, helpdesk, operator or administrator.") var role: Role
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    try await place.link { link in
      _ = try await link.ask(APIRequest(.PUT, ["administrators", user], body: ["role": .string(role.rawValue)]))
    }
    json.print(
      ["name": .string(user), "role": .string(role.rawValue)], orElse: "\(user) has the role \(role.rawValue)")
  }
}
