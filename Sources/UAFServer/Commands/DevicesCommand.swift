import ArgumentParser
import UAFMessages

/// `uaf-server devices`: lists the machines of an account.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the machines of an account: name, model, system, keys, revoked keys, registration, last login.",
    discussion: """
      Name, model and system are what a machine said of itself when it registered; '-' where it said nothing. The one that \
      was used last stands first.
      """)

  @Argument(help: "The account's name at this server.") var user: String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    try await place.link { link in
      let found = try await link.ask(APIRequest(.GET, ["accounts", user, "machines"]))
      json.title("name\tmodel\tsystem\tkeys\trevoked\tregistered\tlast-login")
      for device in found.objects("machines") { json.print(device, orElse: Self.line(device)) }
    }
  }

  static func line(_ device: JSONObject) -> String {
    let said = ["name", "model", "system"].map { device.said($0) }
    let numbers = ["keys", "revokedKeys"].map { device.number($0) }
    let times = [device.time("registered", orElse: "-"), device.time("lastUsed", orElse: "never")]
    return (said + numbers + times).joined(separator: "\t")
  }
}
