import ArgumentParser
import UAFAdministration
import UAFMessages
import UAFService

/// The options of the subcommands of `policy`.
struct PolicyOptions: ParsableArguments {
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var metadata: MetadataOption

  func validate() throws {
    guard metadata.folder == nil || place.api == nil else {
      throw ValidationError("--metadata goes with --state: a server that runs has its own.")
    }
  }

  /// Hands over what carries the command's requests.
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

  /// Saves a policy, and says so.
  ///
  /// - Parameter last: the number of the policy that it follows; nil for the one in force.
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
    // Not said by the API: the server's own log says it at its start.
    guard let local = link as? LocalLink else { return }
    if try await PolicyAdministration(local.environment).isOverruledByFile(by: local.caller) {
      Terminal.note("'serve' was last started with --policy FILE, which goes first: start it without")
    }
  }
}
