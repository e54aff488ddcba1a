import ArgumentParser
import UAFMessages

/// `uaf-server machines`: lists the machines of the fleet.
struct MachinesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machines",
    abstract: "List the machines of the fleet: device id, name, model, system, people, keys, revoked keys, last login.",
    discussion: "What a machine says of itself is not verified; '-' where it said nothing.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["machines"]), "machines",
        begin: { json.title("device\tname\tmodel\tsystem\tpeople\tkeys\trevoked\tlast-login") }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  static func line(_ machine: JSONObject) -> String {
    let said = ["device", "name", "model", "system"].map { machine.said($0) }
    let numbers = ["people", "keys", "revokedKeys"].map { machine.number($0) }
    return (said + numbers + [machine.time("lastUsed", orElse: "never")]).joined(separator: "\t")
  }
}
