import ArgumentParser
import UAFMessages

/// `uaf-server machines`: lists the machines of the fleet.
struct MachinesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machines",
    abstract: """
      List the machines of the fleet: device id, name, model, system, people, keys, revoked keys, last login, group, \
      joined, left, last report, package, policy, standing locks, when a copy was seen.
      """,
    discussion: """
      What a machine says of itself is not verified; '-' where it said nothing. Machines that have joined with a code are \
      there also without a key; a machine that was revoked has left. The last five columns are what a machine that has \
      joined has told; the last one names machines of which there are two, or that were restored.
      """)

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["machines"]), "machines",
        begin: { json.title(Self.title) }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  private static let title =
    "device\tname\tmodel\tsystem\tpeople\tkeys\trevoked\tlast-login\tgroup\tjoined\tleft\tlast-report\tpackage\tpolicy"
    + "\tlocks\tcopy-seen"

  static func line(_ machine: JSONObject) -> String {
    let said = ["device", "name", "model", "system"].map { machine.said($0) }
    let numbers = ["people", "keys", "revokedKeys"].map { machine.number($0) }
    let joining = [machine.said("group"), machine.time("joined", orElse: "-"), machine.time("left", orElse: "-")]
    let used = [machine.time("lastUsed", orElse: "never")]
    return (said + numbers + used + joining + told(machine)).joined(separator: "\t")
  }

  /// What a machine has told of itself; '-' where it has told nothing.
  private static func told(_ machine: JSONObject) -> [String] {
    let policy: String = if case .integer(let version)? = machine["policy"] { String(version) } else { "-" }
    return [
      machine.time("lastContact", orElse: "-"), machine.said("module"), policy, locks(machine),
      machine.time("copySeen", orElse: "-"),
    ]
  }

  private static func locks(_ machine: JSONObject) -> String {
    guard case .array(let named)? = machine["locks"] else { return "-" }
    let more: Int64 = if case .integer(let number)? = machine["moreLocks"] { number } else { 0 }
    return String(Int64(named.count) + more)
  }
}
