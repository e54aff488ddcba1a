import ArgumentParser
import UAFMessages

/// The options of the subcommands of `machine-policy`, and what several of them do.
struct MachinePolicyOptions: ParsableArguments {
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  /// The text of a policy's file.
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

  /// Saves a policy, and says so.
  ///
  /// - Parameters:
  ///   - lifetime: in seconds; nil for the server's default.
  ///   - last: the number of the policy that it follows; nil for the one in force.
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
