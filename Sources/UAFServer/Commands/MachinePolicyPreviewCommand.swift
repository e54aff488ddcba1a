import ArgumentParser
import FidoResults
import UAFMessages

/// `uaf-server machine-policy preview`: says what a policy for workstations would change.
struct MachinePolicyPreviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Say what a policy would change for the machines of a group, and change nothing.",
    discussion: "Refuses what workstations would refuse. Whether they follow it is for their own configuration to say.")

  @Argument(help: "The file of the policy, TOML.", completion: .file()) var file: String
  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group = MachineGroup.standard

  func run() async throws {
    let text = try MachinePolicyOptions.text(of: file)
    try await options.place.link { link in
      let preview = try await link.ask(
        APIRequest(
          .POST, ["machine-policy-previews"], body: ["group": .string(group.name), "policy": .string(text)]))
      options.json.print(preview, orElse: Self.lines(preview))
    }
  }

  static func lines(_ preview: JSONObject) -> String {
    let changes = preview.objects("changes").map { change in
      let (key, before, after) = (
        change.said("key", limit: 128), change.said("before", limit: 512), change.said("after", limit: 512)
      )
      return "\(key)\t\(before)\t\(after)"
    }
    let head = [
      "machines in the group\t\(preview.number("machines"))", "policy in force\t\(preview.number("present"))",
    ]
    return (head + (changes.isEmpty ? ["it changes nothing"] : ["key\tbefore\tafter"] + changes)).joined(
      separator: "\n")
  }
}
