import ArgumentParser
import UAFMessages

/// `uaf-server machine-policy back`: saves an earlier policy for workstations again.
struct MachinePolicyBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "back", abstract: "Save an earlier policy again, for its group and under a new number.")

  @Argument(help: "The earlier policy's number: see 'machine-policy list'.") var number: Int64
  @OptionGroup var options: MachinePolicyOptions
  @Option(help: ArgumentHelp("Why, for those who read the history.", valueName: "text")) var reason: String

  func run() async throws {
    try await options.place.link { link in
      let earlier = try await MachinePolicyOptions.version(number, link)
      guard let text = earlier.text("policy"), let group = earlier.text("group").flatMap({ MachineGroup($0) }) else {
        throw LinkError.unexpected
      }
      try await options.save(
        text, for: group, lifetime: earlier.integer("lifetime"), reason: reason, after: nil, link)
    }
  }
}
