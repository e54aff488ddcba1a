import ArgumentParser
import UAFMessages

/// `uaf-server admin remove`: takes the role from an administrator.
struct AdminRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take the role from an administrator; their account stays.")

  @Argument(help: "The account's name at this server.") var user: String
  @OptionGroup var place: AdministrationOptions
  @Flag(help: "Also remove the last one with the role administrator.") var force = false
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    // With nobody left, only who has the server's folder can make the next one.
    guard !force || place.api == nil else { throw ValidationError("--force goes with --state.") }
  }

  func run() async throws {
    try await place.link { link in
      if force, let local = link as? LocalLink {
        try await local.removeAdministrator(user)
      } else {
        _ = try await link.ask(APIRequest(.DELETE, ["administrators", user]))
      }
    }
    json.print(["name": .string(user)], orElse: "\(user) is no administrator any more")
  }
}
