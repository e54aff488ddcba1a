import ArgumentParser
import UAFMessages

/// `uaf-server machine-policy show`: prints a saved policy for workstations.
struct MachinePolicyShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the policy that is in force for a group, or an earlier one, as it was given.")

  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group = MachineGroup.standard
  @Option(help: "An earlier one, by its number: see 'machine-policy list'.") var number: Int64?

  func run() async throws {
    try await options.place.link { link in
      let found =
        if let number {
          try await MachinePolicyOptions.version(number, link)
        } else {
          try await MachinePolicyOptions.current(of: group, link)
        }
      guard let policy = found else { return Terminal.note("no policy was saved for group \(group)") }
      options.json.print(policy, orElse: Self.shown(policy.text("policy") ?? ""))
      guard number == nil else { return }
      Terminal.note("policy \(policy.number("number")), saved \(policy.time("time", orElse: "-"))")
    }
  }

  /// The policy without the end of its last line, which every result gets.
  private static func shown(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }
}
