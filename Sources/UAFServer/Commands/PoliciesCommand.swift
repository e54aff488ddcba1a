import ArgumentParser

/// `uaf-server policy`: the saved policies.
struct PoliciesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "Show, try and save which authenticators accounts use; every version is kept.",
    subcommands: [
      PolicyShowCommand.self, PolicyListCommand.self, PolicyPreviewCommand.self, PolicySetCommand.self,
      PolicyBackCommand.self,
    ])
}
