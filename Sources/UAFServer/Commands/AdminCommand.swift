import ArgumentParser

/// `uaf-server admin`: who may administer the server.
struct AdminCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Say who may administer the server.",
    subcommands: [AdminAddCommand.self, AdminListCommand.self, AdminRemoveCommand.self])
}
