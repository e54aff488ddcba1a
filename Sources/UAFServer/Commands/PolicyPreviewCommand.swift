import ArgumentParser
import FidoResults
import UAFMessages

/// `uaf-server policy preview`: says whom a policy would affect.
struct PolicyPreviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Say whom a policy would affect, and change nothing.",
    discussion: """
      The exit status is 1 if accounts that can log in now could not any more. Accounts are looked at one by one: some \
      seconds for a million of them, while people log in.
      """)

  @Argument(help: "The file of the policy, JSON.", completion: .file()) var file: String
  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let text = String(decoding: try PolicyFile(path: file).bytes(), as: UTF8.self)
    try await options.link { link in
      let preview = try await link.ask(APIRequest(.POST, ["policy-previews"], body: ["policy": .string(text)]))
      json.print(preview, orElse: Self.lines(preview))
      guard preview.integer("lockedOut") == 0 else { throw ExitCode.failure }
    }
  }

  static func lines(_ preview: JSONObject) -> String {
    var lines = [
      "accounts with keys\t\(preview.number("accounts"))", "asked for something else\t\(preview.number("changed"))",
      "locked out by it\t" + preview.number("lockedOut") + names(preview, "names", of: "lockedOut"),
      "locked out already\t" + preview.number("lockedOutAlready"),
      "named, but no account\t" + preview.number("missing") + names(preview, "missingNames", of: "missing"),
    ]
    if preview.isTrue("locksEverybodyOut") { lines.append("nobody could log in any more") }
    if !preview.isTrue("isPresentUsable") {
      lines.append(
        "the policy in force cannot be used (see --metadata): everybody with a key counts as able to log in now")
    }
    return lines.joined(separator: "\n")
  }

  private static func names(_ preview: JSONObject, _ list: String, of count: String) -> String {
    let names = preview.texts(list).map { Text.cleaned($0, limit: 128) }
    guard !names.isEmpty else { return "" }
    return "\t" + names.joined(separator: " ") + (preview.integer(count) ?? 0 > names.count ? " ..." : "")
  }
}
