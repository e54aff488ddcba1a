import ArgumentParser
import FidoResults
import UAFService

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
  @OptionGroup var state: StateOption

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    let store = try state.openStore()
    let devices = try await store.read { [user] records -> [AccountDevice]? in
      guard try records.accounts.exists(user) else { return nil }
      return try records.credentials.devices(of: user)
    }
    guard let devices else {
      Terminal.note("no account \(user); 'uaf-server users' lists them")
      throw ExitCode.failure
    }
    Terminal.result("name\tmodel\tsystem\tkeys\trevoked\tregistered\tlast-login")
    for device in devices { Terminal.result(Self.line(device)) }
  }

  static func line(_ device: AccountDevice) -> String {
    // A client may send anything as a name, also tabs and escape sequences.
    let said = [device.name, device.model, device.system].map { text in
      let cleaned = Text.cleaned(text ?? "", limit: 128)
      return cleaned.isEmpty ? "-" : cleaned
    }
    let numbers = [String(device.keys), String(device.revokedKeys), Terminal.time(device.registeredAt)]
    return (said + numbers + [device.lastUsedAt.map(Terminal.time) ?? "never"]).joined(separator: "\t")
  }
}
