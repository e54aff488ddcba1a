import ArgumentParser
import UAFMessages

/// `uaf-server machines`: lists the machines of the fleet.
struct MachinesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machines",
    abstract: """
      List the machines of the fleet: device id, name, model, system, people, keys, revoked keys, last login, group, \
      joined, left.
      """,
    discussion: """
      What a machine says of itself is not verified; '-' where it said nothing. Machines that have joined with a code are \
      there also without a key; a machine that was revoked has left.
      """)

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["machines"]), "machines",
        begin: { json.title("device\tname\tmodel\tsystem\tpeople\tkeys\trevoked\tlast-login\tgroup\tjoined\tleft") }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  static func line(_ machine: JSONObject) -> String {
    let said = ["device", "name", "model", "system"].map { machine.said($0) }
    let numbers = ["people", "keys", "revokedKeys"].map { machine.number($0) }
    let joining = [machine.said("group"), machine.time("joined", orElse: "-"), machine.time("left", orElse: "-")]
    return (said + numbers + [machine.time("lastUsed", orElse: "never")] + joining).joined(separator: "\t")
  }
}
