import ArgumentParser

/// `uaf-server policy back`: saves an earlier policy again.
struct PolicyBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "back", abstract: "Save an earlier policy again, under a new number.")

  @Argument(help: "The earlier policy's number: see 'policy list'.") var number: Int64
  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("Why, for those who read the history.", valueName: "text")) var reason: String
  @Option(help: ArgumentHelp("How many accounts may be locked out by it.", valueName: "n")) var lockOut = 0

  func run() async throws {
    try await options.link { link in
      guard let earlier = try await PolicyOptions.version(number, link).text("policy") else {
        throw LinkError.unexpected
      }
      try await PolicyOptions.save(earlier, reason: reason, after: nil, lockingOut: lockOut, link, json)
    }
  }
}
