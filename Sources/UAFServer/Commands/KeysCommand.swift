import ArgumentParser

/// `uaf-server keys`: the keys that can be exchanged while people log in.
struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "List the server's keys, and exchange them without a login lost.",
    subcommands: [KeysListCommand.self, KeysRotateCommand.self])
}
