import ArgumentParser
import FidoResults
import UAFMessages

/// `uaf-server machine-policy`: shows and saves the policies for workstations that have joined.
struct MachinePolicyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machine-policy",
    abstract:
      "Show, preview and save the rules of workstations for passcodes, patterns and locks; every version is kept.",
    subcommands: [
      MachinePolicyShowCommand.self, MachinePolicyListCommand.self, MachinePolicyPreviewCommand.self,
      MachinePolicySetCommand.self, MachinePolicyBackCommand.self, MachinePolicyRemoveCommand.self,
    ])
}

/// The options of the subcommands of `machine-policy`, and the actions that several of them share.
struct MachinePolicyOptions: ParsableArguments {
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  /// Reads the text of a policy from a file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func text(of file: String) throws -> String {
    let bytes = try PolicyFile(path: file).bytes()
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServerError.unusableFile(path: file, reason: "it is not UTF-8")
    }
    return text
  }

  /// The policy that is in force for a group; nil if none was saved.
  static func current(of group: MachineGroup, _ link: any AdministrationLink) async throws -> JSONObject? {
    try await link.ask(
      APIRequest(.GET, ["machine-policies"], query: [("group", group.name), ("limit", "1")])
    ).objects("machinePolicies").first
  }

  static func version(_ number: Int64, _ link: any AdministrationLink) async throws -> JSONObject {
    try await link.ask(APIRequest(.GET, ["machine-policies", String(number)]))
  }

  /// Saves a policy, and reports its number.
  ///
  /// - Parameters:
  ///   - lifetime: in seconds; nil for the server's default.
  ///   - last: the number of the latest policy that the caller knows: if another one was saved since, this one is refused; nil
  ///     for the one in force now.
  func save(
    _ text: String, for group: MachineGroup, lifetime: Int64?, reason: String, after last: Int64?,
    _ link: any AdministrationLink
  ) async throws {
    let after =
      if let last { last } else { try await Self.current(of: group, link)?.integer("number") ?? 0 }
    var body: JSONObject = [
      "group": .string(group.name), "policy": .string(text), "reason": .string(reason), "after": .integer(after),
    ]
    body.set("lifetime", lifetime.map(JSONValue.integer))
    let saved = try await link.ask(APIRequest(.POST, ["machine-policies"], body: body))
    json.print(saved, orElse: "policy \(saved.number("number")) is saved for group \(group)")
  }
}

/// `uaf-server machine-policy list`: lists the saved policies for workstations.
struct MachinePolicyListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the saved policies, the newest first: number, group, time, who, why.",
    discussion: "The first policy of each group is in force.")

  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "Only the policies of this group of machines.") var group: MachineGroup?
  @Option(help: ArgumentHelp("Only policies with a lower number.", valueName: "number")) var before: Int64?
  @Option(help: ArgumentHelp("The maximum number of policies, 1 to 200.", valueName: "n")) var limit = 20

  func run() async throws {
    let query: [(name: String, value: String?)] = [
      ("group", group?.name), ("after", before.map(String.init)), ("limit", String(limit)),
    ]
    try await options.place.link { link in
      let page = try await link.ask(APIRequest(.GET, ["machine-policies"], query: query))
      options.json.title("number\tgroup\ttime\tactor\treason")
      for policy in page.objects("machinePolicies") { options.json.print(policy, orElse: Self.line(policy)) }
      if let next = page.text("next") { Terminal.note("earlier ones: --before \(next)") }
    }
  }

  static func line(_ policy: JSONObject) -> String {
    let texts = ["actor", "reason"].map { policy.said($0, limit: 512) }
    return ([policy.number("number"), policy.said("group"), policy.time("time", orElse: "-")] + texts)
      .joined(separator: "\t")
  }
}

/// `uaf-server machine-policy show`: prints a saved policy for workstations.
struct MachinePolicyShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print, unchanged, the policy that is in force for a group, or an earlier policy.")

  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group = MachineGroup.standard
  @Option(help: "The number of an earlier policy: see 'machine-policy list'.") var number: Int64?

  func run() async throws {
    try await options.place.link { link in
      let found =
        if let number {
          try await MachinePolicyOptions.version(number, link)
        } else {
          try await MachinePolicyOptions.current(of: group, link)
        }
      guard let policy = found else { return Terminal.note("no policy was saved for group \(group)") }
      options.json.print(policy, orElse: Self.shown(policy.text("policy") ?? ""))
      guard number == nil else { return }
      Terminal.note("policy \(policy.number("number")), saved \(policy.time("time", orElse: "-"))")
    }
  }

  /// The policy without its last line end: printing adds one.
  private static func shown(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }
}

/// `uaf-server machine-policy preview`: says what a policy for workstations would change.
struct MachinePolicyPreviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Show what a policy would change for the machines of a group, and change nothing.",
    discussion: "The command refuses what workstations would refuse. Each workstation's own configuration decides "
      + "whether it follows the policy.")

  @Argument(help: "The file with the policy, TOML.", completion: .file()) var file: String
  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group = MachineGroup.standard

  func run() async throws {
    let text = try MachinePolicyOptions.text(of: file)
    try await options.place.link { link in
      let preview = try await link.ask(
        APIRequest(
          .POST, ["machine-policy-previews"], body: ["group": .string(group.name), "policy": .string(text)]))
      options.json.print(preview, orElse: Self.lines(preview))
    }
  }

  static func lines(_ preview: JSONObject) -> String {
    let changes = preview.objects("changes").map { change in
      let (key, before, after) = (
        change.said("key", limit: 128), change.said("before", limit: 512), change.said("after", limit: 512)
      )
      return "\(key)\t\(before)\t\(after)"
    }
    let head = [
      "machines in the group\t\(preview.number("machines"))", "policy in force\t\(preview.number("present"))",
    ]
    return (head + (changes.isEmpty ? ["it changes nothing"] : ["key\tbefore\tafter"] + changes)).joined(
      separator: "\n")
  }
}

/// `uaf-server machine-policy set`: saves a policy for workstations.
struct MachinePolicySetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Save a policy for the machines of a group.",
    discussion: """
      The machines get it when they next contact the server, and follow it as far as 'follow' in [policy] of their \
      own configuration allows. See docs/workstation-policy.md for the form.
      """)

  @Argument(help: "The file with the policy, TOML.", completion: .file()) var file: String
  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group = MachineGroup.standard
  @Option(help: ArgumentHelp("Why, for people who read the history.", valueName: "text")) var reason: String
  @Option(help: ArgumentHelp("How many days the signed policy is valid, 1 to 366.", valueName: "n")) var days: Int64 =
    90
  @Option(
    help: ArgumentHelp(
      "The policy on which the file is based; the command refuses if another policy is in force.", valueName: "number"))
  var after: Int64?

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days must be 1 to 366") }
  }

  func run() async throws {
    let text = try MachinePolicyOptions.text(of: file)
    try await options.place.link { link in
      try await options.save(text, for: group, lifetime: days * 86_400, reason: reason, after: after, link)
    }
  }
}

/// `uaf-server machine-policy back`: saves an earlier policy for workstations again.
struct MachinePolicyBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "back", abstract: "Save an earlier policy again, for its group and under a new number.")

  @Argument(help: "The earlier policy's number: see 'machine-policy list'.") var number: Int64
  @OptionGroup var options: MachinePolicyOptions
  @Option(help: ArgumentHelp("Why, for people who read the history.", valueName: "text")) var reason: String

  func run() async throws {
    try await options.place.link { link in
      let earlier = try await MachinePolicyOptions.version(number, link)
      guard let text = earlier.text("policy"), let group = earlier.text("group").flatMap({ MachineGroup($0) }) else {
        throw LinkError.unexpected
      }
      try await options.save(
        text, for: group, lifetime: earlier.integer("lifetime"), reason: reason, after: nil, link)
    }
  }
}

/// `uaf-server machine-policy remove`: saves a policy for workstations that sets nothing.
struct MachinePolicyRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Save an empty policy for a group, so that only the machines' own rules apply.")

  @OptionGroup var options: MachinePolicyOptions
  @Option(help: "The group of machines.") var group: MachineGroup
  @Option(help: ArgumentHelp("Why, for people who read the history.", valueName: "text")) var reason: String

  func run() async throws {
    try await options.place.link { link in
      try await options.save("", for: group, lifetime: nil, reason: reason, after: nil, link)
    }
  }
}
