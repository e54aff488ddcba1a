import ArgumentParser
import UAFMessages

/// `uaf-server machine-policy list`: lists the saved policies for workstations.
struct MachinePolicyListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the saved policies, the newest first: number, group, time, who, why.",
    discussion: "Of each group the first one is in force.")

  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "Only those of this group of machines.") var group: MachineGroup?
  @Option(help: ArgumentHelp("Only those with a lower number.", valueName: "number")) var before: Int64?
  @Option(help: ArgumentHelp("How many at most, 1 to 200.", valueName: "n")) var limit = 20

  func run() async throws {
    let query: [(name: String, value: String?)] = [
      ("group", group?.name), ("after", before.map(String.init)), ("limit", String(limit)),
    ]
    try await options.place.link { link in
      let page = try await link.ask(APIRequest(.GET, ["machine-policies"], query: query))
      options.json.title("number\tgroup\ttime\tactor\treason")
      for policy in page.objects("machinePolicies") { options.json.print(policy, orElse: Self.line(policy)) }
      if let next = page.text("next") { Terminal.note("earlier ones: --before \(next)") }
    }
  }

  static func line(_ policy: JSONObject) -> String {
    let texts = ["actor", "reason"].map { policy.said($0, limit: 512) }
    return ([policy.number("number"), policy.said("group"), policy.time("time", orElse: "-")] + texts)
      .joined(separator: "\t")
  }
}
