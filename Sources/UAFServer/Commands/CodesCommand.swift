import ArgumentParser
import UAFMessages

/// `uaf-server codes`: lists the enrolment codes that were issued.
struct CodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codes",
    abstract: "List the enrolment codes that were issued: number, user, by whom, when, end, state, when used.",
    discussion: "The newest first; never a code itself. A code of the state 'closed' was not used, and works no more.")

  @OptionGroup var place: AdministrationOptions
  @Flag(help: "Only those that somebody can register with now.") var open = false
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["enrolment-codes"], query: [("open", open ? "true" : nil)]), "codes",
        begin: { json.title("number\tuser\tissued-by\tissued\tend\tstate\tused") }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  static func line(_ code: JSONObject) -> String {
    let state = code.isTrue("isOpen") ? "open" : code["used"] == nil ? "closed" : "used"
    return [
      code.number("number"), code.said("account"), code.said("issuedBy"), code.time("issued", orElse: "-"),
      code.time("expires", orElse: "-"), state, code.time("used", orElse: "-"),
    ].joined(separator: "\t")
  }
}
