import ArgumentParser
import UAFMessages

/// `uaf-server join-code list`: lists the join codes that were issued.
struct JoinCodeListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the join codes that were issued: number, group, machines, joined, by whom, when, end, state.",
    discussion: "The newest first; never a code itself. A machine that has left keeps its place.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["join-codes"]), "codes",
        begin: { json.title("number\tgroup\tmachines\tjoined\tissued-by\tissued\tend\tstate") }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  static func line(_ code: JSONObject) -> String {
    let state = code.text("state") == "usedUp" ? "used-up" : code.said("state")
    return [
      code.number("number"), code.said("group"), code.number("machines"), code.number("used"), code.said("issuedBy"),
      code.time("issued", orElse: "-"), code.time("expires", orElse: "-"), state,
    ].joined(separator: "\t")
  }
}
