import ArgumentParser
import FidoResults
import UAFMessages

/// `uaf-server token list`: lists the tokens.
struct TokenListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the tokens: name, role, state, end, last use, addresses, by whom.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      let tokens = try await link.ask(APIRequest(.GET, ["tokens"])).objects("tokens")
      json.title("name\trole\tstate\tend\tlast-use\taddresses\tby")
      let now = Terminal.now
      for token in tokens { json.print(token, orElse: Self.line(token, now: now)) }
    }
  }

  static func line(_ token: JSONObject, now: Int64) -> String {
    let hasEnded = token.integer("expires").map { $0 <= now } ?? true
    let state = token["revoked"] != nil ? "revoked" : hasEnded ? "expired" : "good"
    let addresses = token.texts("addresses").map { Text.cleaned($0, limit: 64) }
    return [
      token.said("name"), token.said("role"), state, token.time("expires", orElse: "-"),
      token.time("lastUsed", orElse: "never"), addresses.isEmpty ? "-" : addresses.joined(separator: ","),
      token.said("createdBy"),
    ].joined(separator: "\t")
  }
}
