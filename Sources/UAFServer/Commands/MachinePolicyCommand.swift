import ArgumentParser

/// `uaf-server machine-policy`: the policies for workstations that have joined.
struct MachinePolicyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machine-policy",
    abstract: "Show, try and save what workstations ask of passcodes, patterns and locks; every version is kept.",
    subcommands: [
      MachinePolicyShowCommand.self, MachinePolicyListCommand.self, MachinePolicyPreviewCommand.self,
      MachinePolicySetCommand.self, MachinePolicyBackCommand.self, MachinePolicyRemoveCommand.self,
    ])
}
