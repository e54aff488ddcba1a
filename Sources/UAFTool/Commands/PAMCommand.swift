import ArgumentParser

/// `uafctl pam`.
struct PAMCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pam",
    abstract: "Has services ask for the passcode, or stop asking.",
    subcommands: [PAMEnableCommand.self, PAMDisableCommand.self, PAMStatusCommand.self])
}
