import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server group mappings`: lists the mapped groups of people.
struct GroupMappingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mappings",
    abstract: "List the mapped groups of people: number, name, members, policy, role, time, who.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      let mappings = try await link.ask(APIRequest(.GET, ["group-mappings"])).objects("mappings")
      json.title("number\tname\tmembers\tpolicy\trole\ttime\twho")
      for mapping in mappings { json.print(mapping, orElse: Self.line(mapping)) }
    }
  }

  static func line(_ mapping: JSONObject) -> String {
    [
      mapping.number("group"), mapping.said("name"), mapping.number("members"), mapping.said("policy"),
      mapping.said("role"), mapping.time("made", orElse: "-"), mapping.said("madeBy"),
    ].joined(separator: "\t")
  }
}

/// `uaf-server group map`: says what the members of a group of people get.
struct GroupMapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "Give the members of a group of people a policy, a role, or both, for as long as they are members.",
    discussion: """
      The policy is a group of the saved policy in force, such as "operators". It applies within two seconds to members \
      whom the policy does not name itself. Whoever has several such groups must meet all of their policies together.

      Members have the role while their accounts are enabled, unless a role was given to them by hand. Whoever has \
      several roles by groups has the one that allows least.

      A mapped group keeps its name. Nothing is changed if accounts that can log in now could no longer do so, unless \
      --lock-out allows that many. Only root or the server's user on the server itself may do this.
      """)

  @Argument(help: "The group's number, which 'group list' shows.") var number: Int64
  @Option(help: ArgumentHelp("The name of a group of the policy in force.", valueName: "name")) var policy: String?
  @Option(help: "auditor, helpdesk or operator.") var role: Role?
  @Flag(help: "Only show whom the mapping would affect.") var preview = false
  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("How many accounts the mapping may lock out.", valueName: "n")) var lockOut = 0

  func validate() throws {
    guard policy != nil || role != nil else { throw ValidationError("name --policy, --role, or both.") }
  }

  func run() async throws {
    var target: JSONObject = [:]
    target.set("policy", policy.map(JSONValue.string))
    target.set("role", role.map { .string($0.rawValue) })
    try await options.link { [target] link in
      guard !preview else { return try await GroupMappingShown.preview(number, target, link, json) }
      var body = target
      body.set("lockOut", .integer(Int64(lockOut)))
      _ = try await link.ask(APIRequest(.PUT, ["groups", String(number), "mapping"], body: body))
      var made: JSONObject = ["group": .integer(number)]
      for member in target.members { made.set(member.name, member.value) }
      json.print(made, orElse: "group \(number) is mapped")
    }
  }
}

/// `uaf-server group unmap`: ends the effect of a group of people.
struct GroupUnmapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmap", abstract: "Remove the mapping of a group of people; the group and its members stay.",
    discussion: """
      Nothing is changed if accounts that can log in now could no longer do so, unless --lock-out allows that many. \
      Only root or the server's user on the server itself may do this.
      """)

  @Argument(help: "The group's number, which 'group mappings' shows.") var number: Int64
  @Flag(help: "Only show whom the removal would affect.") var preview = false
  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: ArgumentHelp("How many accounts the removal may lock out.", valueName: "n")) var lockOut = 0

  func run() async throws {
    try await options.link { link in
      guard !preview else { return try await GroupMappingShown.preview(number, [:], link, json) }
      _ = try await link.ask(
        APIRequest(.DELETE, ["groups", String(number), "mapping"], query: [("lockOut", String(lockOut))]))
      json.print(["group": .integer(number)], orElse: "group \(number) is not mapped any longer")
    }
  }
}

/// What the commands show before a mapping is made or removed.
enum GroupMappingShown {
  /// Shows whom a mapping would affect, and changes nothing.
  ///
  /// - Parameter target: empty for the removal of the mapping.
  /// - Throws: `ExitCode.failure` if accounts that can log in now could no longer do so.
  static func preview(
    _ number: Int64, _ target: JSONObject, _ link: any AdministrationLink, _ json: JSONFlag
  ) async throws {
    var body = target
    body.set("group", .integer(number))
    let preview = try await link.ask(APIRequest(.POST, ["group-mapping-previews"], body: body))
    json.print(preview, orElse: lines(preview))
    guard preview.integer("lockedOut") == 0 else { throw ExitCode.failure }
  }

  static func lines(_ preview: JSONObject) -> String {
    "members\t\(preview.number("members"))\n" + PolicyPreviewCommand.lines(preview)
  }
}
