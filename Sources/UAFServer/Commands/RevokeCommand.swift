import ArgumentParser
import UAFMessages

/// `uaf-server revoke`: ends what keys can do.
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke keys of an account, or all on one machine.",
    discussion: """
      Without --key and --device all keys of the account are revoked, and its codes closed. With --device and without USER \
      the keys of everybody on that machine are revoked, for example when it was lost, and its joining; 'machines' lists \
      device ids.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String?
  @OptionGroup var place: AdministrationOptions
  @Option(help: ArgumentHelp("Only this key: AAID, a space, KeyID.", valueName: "key")) var key: String?
  @Option(help: ArgumentHelp("Only keys on the machine with this device id.", valueName: "id")) var device: String?
  @Option(help: ArgumentHelp("Why, for the audit; at most 500 bytes.", valueName: "text")) var reason: String?
  @OptionGroup var json: JSONFlag

  func validate() throws {
    if let user { try Terminal.check(username: user) }
    guard user != nil || device != nil else { throw ValidationError("Give USER, or a machine with --device.") }
    guard key == nil || user != nil, key == nil || device == nil else {
      throw ValidationError("--key goes with USER, and without --device.")
    }
  }

  func run() async throws {
    let path = user.map { ["accounts", $0] } ?? ["machines", device ?? ""]
    var body: JSONObject = [:]
    body.set("key", key.map(JSONValue.string))
    body.set("device", user == nil ? nil : device.map(JSONValue.string))
    body.set("reason", reason.map(JSONValue.string))
    try await place.link { [body] link in
      let done = try await link.ask(APIRequest(.POST, path + ["revocations"], body: body))
      let count = done.number("revoked")
      let whose = user ?? "machine \(device ?? "")"
      json.print(done, orElse: "revoked \(count) key\(count == "1" ? "" : "s") of \(whose)")
    }
  }
}
