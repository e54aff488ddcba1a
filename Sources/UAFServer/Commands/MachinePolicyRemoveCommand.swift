import ArgumentParser
import UAFMessages

/// `uaf-server machine-policy remove`: saves a policy for workstations that asks for nothing.
struct MachinePolicyRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Save an empty policy for a group, so that only the machines' own rules hold.")

  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group: MachineGroup
  @Option(help: ArgumentHelp("Why, for those who read the history.", valueName: "text")) var reason: String

  func run() async throws {
    try await options.place.link { link in
      try await options.save("", for: group, lifetime: nil, reason: reason, after: nil, link)
    }
  }
}
