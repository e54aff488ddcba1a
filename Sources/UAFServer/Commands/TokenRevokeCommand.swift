import ArgumentParser
import UAFMessages

/// `uaf-server token revoke`: ends a token.
struct TokenRevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a token, from its next request on.")

  @Argument(help: "The token's name.") var name: String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in _ = try await link.ask(APIRequest(.DELETE, ["tokens", name])) }
    json.print(["name": .string(name)], orElse: "revoked token \(name)")
  }
}
