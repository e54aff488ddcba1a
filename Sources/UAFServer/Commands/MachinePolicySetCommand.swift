import ArgumentParser
import UAFMessages

/// `uaf-server machine-policy set`: saves a policy for workstations.
struct MachinePolicySetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Save a policy for the machines of a group.",
    discussion: """
      The machines get it when they are next in touch with the server, and follow it as far as 'follow' of [policy] in \
      their own configuration allows. See docs/workstation-policy.md for the form.
      """)

  @Argument(help: "The file of the policy, TOML.", completion: .file()) var file: String
  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group = MachineGroup.standard
  @Option(help: ArgumentHelp("Why, for those who read the history.", valueName: "text")) var reason: String
  @Option(help: ArgumentHelp("For how many days a machine may rely on it, 1 to 366.", valueName: "n")) var days: Int64 =
    90
  @Option(
    help: ArgumentHelp(
      "The policy that the file was made from; refused if another one is in force.", valueName: "number"))
  var after: Int64?

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days must be 1 to 366") }
  }

  func run() async throws {
    let text = try MachinePolicyOptions.text(of: file)
    try await options.place.link { link in
      try await options.save(text, for: group, lifetime: days * 86_400, reason: reason, after: after, link)
    }
  }
}
