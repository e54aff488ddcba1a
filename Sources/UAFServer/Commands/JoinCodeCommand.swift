import ArgumentParser

/// `uaf-server join-code`: the codes with which machines join.
struct JoinCodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join-code", abstract: "Make, list and close the codes with which machines join.",
    subcommands: [JoinCodeCreateCommand.self, JoinCodeListCommand.self, JoinCodeCloseCommand.self])
}
