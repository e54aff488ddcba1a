import ArgumentParser

/// `uaf-server admin list`: lists the administrators.
struct AdminListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the administrators: name, role, when and by whom they were added.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      let all = try await link.ask(APIRequest(.GET, ["administrators"])).objects("administrators")
      json.title("name\trole\tadded\tby")
      for one in all {
        let line = [one.said("name"), one.said("role"), one.time("added", orElse: "-"), one.said("addedBy")]
        json.print(one, orElse: line.joined(separator: "\t"))
      }
    }
  }
}
