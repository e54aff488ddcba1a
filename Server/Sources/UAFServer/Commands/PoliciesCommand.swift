import ArgumentParser
import FidoResults
import UAFAdministration
import UAFMessages
import UAFService

/// `uaf-server policy`: shows and saves the policies for accounts.
struct PoliciesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "Show, preview and save which authenticators accounts use; every version is kept.",
    subcommands: [
      PolicyShowCommand.self, PolicyListCommand.self, PolicyPreviewCommand.self, PolicySetCommand.self,
      PolicyBackCommand.self,
    ])
}

/// The options of the subcommands of `policy`.
struct PolicyOptions: ParsableArguments {
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var metadata: MetadataOption

  func validate() throws {
    guard metadata.folder == nil || place.isLocal else {
      throw ValidationError("--metadata is only for --state: a running server has its own statements.")
    }
  }

  /// Opens the link that carries the command's requests, and passes it to `body`.
  func link(_ body: (any AdministrationLink) async throws -> Void) async throws {
    try await place.link(models: try metadata.models(), body)
  }

  /// The policy that was saved last; nil if none was.
  static func current(_ link: any AdministrationLink) async throws -> JSONObject? {
    try await link.ask(APIRequest(.GET, ["policies"], query: [("limit", "1")])).objects("policies").first
  }

  static func version(_ number: Int64, _ link: any AdministrationLink) async throws -> JSONObject {
    try await link.ask(APIRequest(.GET, ["policies", String(number)]))
  }

  /// Saves a policy, and reports its number.
  ///
  /// - Parameter last: the number of the latest policy that the caller knows: if another one was saved since, this one is
  ///   refused; nil for the one in force now.
  static func save(
    _ text: String, reason: String, after last: Int64?, lockingOut accepted: Int, _ link: any AdministrationLink,
    _ json: JSONFlag
  ) async throws {
    let after = if let last { last } else { try await current(link)?.integer("number") ?? 0 }
    let version = try await link.ask(
      APIRequest(
        .POST, ["policies"],
        body: [
          "policy": .string(text), "reason": .string(reason), "after": .integer(after),
          "lockOut": .integer(Int64(accepted)),
        ]))
    json.print(version, orElse: "policy \(version.number("number")) is saved")
    // Through the API this cannot be checked; the server's own log says it at each start.
    guard let local = link as? LocalLink else { return }
    if try await PolicyAdministration(local.environment).isOverruledByFile(by: local.caller) {
      Terminal.note("'serve' was last started with --policy FILE, which takes precedence: start it without --policy")
    }
  }
}

/// `uaf-server policy list`: lists the saved policies.
struct PolicyListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the saved policies, the newest first: number, time, who, why.")

  @OptionGroup var options: PolicyOptions
  @Option(help: ArgumentHelp("Only policies with a lower number.", valueName: "number")) var before: Int64?
  @Option(help: ArgumentHelp("The maximum number of policies, 1 to 200.", valueName: "n")) var limit = 20
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let query: [(name: String, value: String?)] = [("after", before.map(String.init)), ("limit", String(limit))]
    try await options.link { link in
      let page = try await link.ask(APIRequest(.GET, ["policies"], query: query))
      json.title("number\ttime\tactor\treason")
      for version in page.objects("policies") { json.print(version, orElse: Self.line(version)) }
      if let next = page.text("next") { Terminal.note("earlier ones: --before \(next)") }
    }
  }

  static func line(_ version: JSONObject) -> String {
    let texts = ["actor", "reason"].map { version.said($0, limit: 512) }
    return ([version.number("number"), version.time("time", orElse: "-")] + texts).joined(separator: "\t")
  }
}

/// `uaf-server policy show`: prints a saved policy.
struct PolicyShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print, unchanged, the saved policy that is in force, or an earlier policy.")

  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: "The number of an earlier policy: see 'policy list'.") var number: Int64?

  func run() async throws {
    try await options.link { link in
      let found =
        if let number {
          try await PolicyOptions.version(number, link)
        } else {
          try await PolicyOptions.current(link)
        }
      guard let version = found else {
        return Terminal.note("no policy was saved: everybody may use each authenticator by itself")
      }
      json.print(version, orElse: Self.shown(version.text("policy") ?? ""))
      guard number == nil else { return }
      Terminal.note("policy \(version.number("number")), saved \(version.time("time", orElse: "-"))")
    }
  }

  /// The policy without its last line end: printing adds one.
  private static func shown(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }
}

/// `uaf-server policy preview`: says which accounts a policy would affect.
struct PolicyPreviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Show whom a policy would affect, and change nothing.",
    discussion: """
      The exit status is 1 if accounts that can log in now could no longer do so. The command checks every account, \
      which takes some seconds for a million accounts; people can log in meanwhile.
      """)

  @Argument(help: "The file with the policy, JSON.", completion: .file()) var file: String
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
      "accounts with keys\t\(preview.number("accounts"))", "authenticators change\t\(preview.number("changed"))",
      "locked out by this policy\t" + preview.number("lockedOut") + names(preview, "names", of: "lockedOut"),
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

/// `uaf-server policy set`: saves a policy, which is in force from then on.
struct PolicySetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Save a policy, which is in force from then on, without a restart.",
    discussion: """
      All servers of the store use it within two seconds. Nothing is saved if accounts that can log in now could no \
      longer do so, unless --lock-out allows that many. For the form, see uaf-server-policy.json among the examples.
      """)

  @Argument(help: "The file with the policy, JSON.", completion: .file()) var file: String
  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("Why, for people who read the history.", valueName: "text")) var reason: String
  @Option(
    help: ArgumentHelp(
      "The policy on which the file is based; the command refuses if another policy is in force.", valueName: "number"))
  var after: Int64?
  @Option(help: ArgumentHelp("How many accounts the policy may lock out.", valueName: "n")) var lockOut = 0

  func run() async throws {
    let text = String(decoding: try PolicyFile(path: file).bytes(), as: UTF8.self)
    try await options.link { link in
      try await PolicyOptions.save(text, reason: reason, after: after, lockingOut: lockOut, link, json)
    }
  }
}

/// `uaf-server policy back`: saves an earlier policy again.
struct PolicyBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "back", abstract: "Save an earlier policy again, under a new number.")

  @Argument(help: "The earlier policy's number: see 'policy list'.") var number: Int64
  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("Why, for people who read the history.", valueName: "text")) var reason: String
  @Option(help: ArgumentHelp("How many accounts the policy may lock out.", valueName: "n")) var lockOut = 0

  func run() async throws {
    try await options.link { link in
      guard let earlier = try await PolicyOptions.version(number, link).text("policy") else {
        throw LinkError.unexpected
      }
      try await PolicyOptions.save(earlier, reason: reason, after: nil, lockingOut: lockOut, link, json)
    }
  }
}
