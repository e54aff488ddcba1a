import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService

/// The route with which `uaf-server sync` takes the people of a directory into the store.
enum DirectoryRoutes {
  static let all = [carryOut]

  /// The members of a step.
  static let members =
    ["step", "account", "externalID"] + ProfileField.allCases.filter { $0 != .externalID }.map(\.rawValue) + ["groups"]

  private static let carryOut = APIRoute(
    method: .POST, path: "/directory-steps",
    summary: "Adds, changes, enables and disables accounts in the name of a directory: all steps, or none.",
    body: [
      APIInputs.text(
        "directory", "The directory's name here: 1 to 32 characters of a to z, 0 to 9 and `-`.", isRequired: true),
      APIRoute.Input(
        name: "steps",
        schema: [
          "type": .string("array"), "maxItems": .integer(Int64(DirectoryAdministration.together)),
          "items": .object(["type": .string("object")]),
        ],
        description: "Each has `step` (add, change, enable or disable), `account`, and `externalID`, which begins with "
          + "`ldap:`, the directory's name and `:`. add and change may have `displayName`, `mail`, `department` and "
          + "`groups`, as for a change of an account. Only accounts with that external ID are changed, and only those "
          + "are enabled that were disabled in the name of this directory.", isRequired: true),
    ],
    bodyExample: [
      "directory": .string("corp"),
      "steps": .array([
        .object([
          "step": .string("add"), "account": .string("mina"), "externalID": .string("ldap:corp:f44dbf4a"),
          "displayName": .string("김미나"),
        ])
      ]),
    ], status: .noContent
  ) { call in
    try call.caller.require(.manageAccounts)
    guard let source = DirectorySource(try call.body.string("directory")) else {
      throw Problem(
        .badRequest, "invalid", "must be 1 to 32 characters of a to z, 0 to 9 and '-'", field: "directory")
    }
    let steps = try call.body.objects("steps", members: members).map(step)
    try await DirectoryAdministration(call.environment).carryOut(steps, of: source, by: call.caller)
    return .done
  }

  private static func step(_ body: BodyMembers) throws -> DirectoryStep {
    guard let action = DirectoryStep.Action(rawValue: try body.string("step")) else {
      let names = DirectoryStep.Action.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badRequest, "invalid", "must be one of \(names)", field: "step")
    }
    var texts: [ProfileField: String] = [:]
    for field in ProfileField.allCases where field != .externalID {
      texts[field] = try body.optionalString(field.rawValue)
    }
    return DirectoryStep(
      action: action, username: try body.string("account"), externalID: try body.string("externalID"),
      change: try ProfileChange(texts, groups: body.optionalStrings("groups")))
  }

  /// A step as the route reads it.
  static func json(_ step: DirectoryStep) -> JSONObject {
    var object: JSONObject = [
      "step": .string(step.action.rawValue), "account": .string(step.username),
      "externalID": .string(step.externalID),
    ]
    for field in ProfileField.allCases where field != .externalID {
      guard let text = step.change.texts[field] else { continue }
      object.set(field.rawValue, .string(text ?? ""))
    }
    object.set("groups", step.change.groups.map { .array($0.map(JSONValue.string)) })
    return object
  }
}
