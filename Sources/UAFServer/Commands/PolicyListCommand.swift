import ArgumentParser
import UAFMessages

/// `uaf-server policy list`: lists the saved policies.
struct PolicyListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the saved policies, the newest first: number, time, who, why.")

  @OptionGroup var options: PolicyOptions
  @Option(help: ArgumentHelp("Only those with a lower number.", valueName: "number")) var before: Int64?
  @Option(help: ArgumentHelp("How many at most, 1 to 200.", valueName: "n")) var limit = 20
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let query: [(name: String, value: String?)] = [("after", before.map(String.init)), ("limit", String(limit))]
    try await options.link { link in
      let page = try await link.ask(APIRequest(.GET, ["policies"], query: query))
      json.title("number\ttime\tactor\treason")
      for version in page.objects("policies") { json.print(version, orElse: Self.line(version)) }
      if let next = page.text("next") { Terminal.note("earlier ones: --before \(next)") }
    }
  }

  static func line(_ version: JSONObject) -> String {
    let texts = ["actor", "reason"].map { version.said($0, limit: 512) }
    return ([version.number("number"), version.time("time", orElse: "-")] + texts).joined(separator: "\t")
  }
}
