import ArgumentParser
import UAFMessages

/// `uaf-server group`: lists, renames, removes and maps groups of people.
struct PersonGroupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "List, rename, remove and map groups of people.",
    discussion: """
      A group of people has no effect by its name, and is no group of a policy; 'map' gives it an effect. 'person \
      --group' puts somebody into a group, and makes the group if there is none of that name.
      """,
    subcommands: [
      PersonGroupListCommand.self, PersonGroupRenameCommand.self, PersonGroupRemoveCommand.self,
      GroupMappingsCommand.self, GroupMapCommand.self, GroupUnmapCommand.self,
    ])
}

struct PersonGroupListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the groups of people: number, name, members.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["groups"]), "groups", begin: { json.title("number\tname\tmembers") }
      ) { group in json.print(group, orElse: Self.line(group)) }
    }
  }

  static func line(_ group: JSONObject) -> String {
    [group.number("id"), group.said("name"), group.number("members")].joined(separator: "\t")
  }
}

struct PersonGroupRenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a group of people a different name; its members stay.")

  @Argument(help: "The group's number, which 'group list' shows.") var number: Int64
  @Argument(help: "The new name.") var name: String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      _ = try await link.ask(APIRequest(.PATCH, ["groups", String(number)], body: ["name": .string(name)]))
    }
    json.print(["id": .integer(number), "name": .string(name)], orElse: "renamed group \(number)")
  }
}

struct PersonGroupRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a group of people; the accounts of its members stay.")

  @Argument(help: "The group's number, which 'group list' shows.") var number: Int64
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in _ = try await link.ask(APIRequest(.DELETE, ["groups", String(number)])) }
    json.print(["id": .integer(number)], orElse: "removed group \(number)")
  }
}
