import ArgumentParser
import UAFMessages

/// `uaf-server join-code close`: closes a join code.
struct JoinCodeCloseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Close a join code: no machine joins with it any more.",
    discussion: "The machines that have joined with it stay; 'revoke --device' ends one of them.")

  @Argument(help: "The code's number, as 'join-code list' shows it.") var number: Int64
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard number > 0 else { throw ValidationError("NUMBER must be a join code's.") }
  }

  func run() async throws {
    try await place.link { link in
      _ = try await link.ask(APIRequest(.DELETE, ["join-codes", String(number)]))
      json.print(["number": .integer(number)], orElse: "closed join code \(number)")
    }
  }
}
