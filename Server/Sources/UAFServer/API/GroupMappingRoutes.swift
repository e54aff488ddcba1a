import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService

/// The routes of the mappings of groups of people.
enum GroupMappingRoutes {
  static let all = [list, preview, map, unmap]

  private static let policy = APIInputs.text("policy", "The name of a group of the saved policy in force.")
  private static let role = APIRoute.Input(
    name: "role",
    schema: ["type": .string("string"), "enum": .array(MappingTarget.roles.map { .string($0.rawValue) })],
    description: "The role that members have; never administrator.")
  private static let lockOut = APIInputs.number(
    "lockOut", 0...Int64.max, "How many accounts the change may lock out; the default is 0.")

  private static let list = APIRoute(
    method: .GET, path: "/group-mappings",
    summary: "The groups of people that are mapped, and what their members get.",
    example: [
      "mappings": .array([
        .object(
          APIShapes.groupMapping(
            GroupMapping(
              groupID: 7, group: "Desk", externalID: "00g1", members: 12, policyGroup: "two-factors",
              role: "helpdesk", madeBy: "administrator mina", madeAt: 1_800_000_000)))
      ])
    ]
  ) { call in
    let mappings = try await GroupMappingAdministration(call.environment).all(by: call.caller)
    return .ok(["mappings": .array(mappings.map { .object(APIShapes.groupMapping($0)) })])
  }

  private static let preview = APIRoute(
    method: .POST, path: "/group-mapping-previews",
    summary: "Shows whom a mapping, or without `policy` and `role` its removal, would affect, and changes nothing.",
    body: [
      APIInputs.number("group", 1...Int64.max, "The number of a group of people.", isRequired: true), policy, role,
    ],
    bodyExample: ["group": .integer(7), "policy": .string("two-factors")],
    example: APIShapes.preview(GroupMappingPreview(members: 12, policy: PolicyPreview()))
  ) { call in
    guard let group = try call.body.optionalInteger("group") else {
      throw Problem(.badRequest, "invalid", "is missing", field: "group")
    }
    let target = try target(call)
    let preview = try await GroupMappingAdministration(call.environment).preview(
      group, to: target == MappingTarget(policyGroup: nil) ? nil : target, by: call.caller)
    return .ok(APIShapes.preview(preview))
  }

  private static let map = APIRoute(
    method: .PUT, path: "/groups/{group}/mapping",
    summary:
      "Maps a group of people to a group of the policy in force, a role, or both. Only at the server's own socket.",
    body: [policy, role, lockOut], bodyExample: ["policy": .string("two-factors")], status: .noContent
  ) { call in
    // Checked before the body is read, so that a caller without the permission gets the same refusal for every body.
    try call.caller.require(.manageAccess)
    try await GroupMappingAdministration(call.environment).map(
      call.number("group"), to: target(call),
      lockingOut: Int(clamping: call.body.optionalInteger("lockOut") ?? 0), by: call.caller)
    return .done
  }

  /// What the body of a request names.
  private static func target(_ call: APICall) throws -> MappingTarget {
    let role = try call.body.optionalString("role") == nil ? nil : call.role(of: MappingTarget.roles)
    return MappingTarget(policyGroup: try call.body.optionalString("policy"), role: role)
  }

  private static let unmap = APIRoute(
    method: .DELETE, path: "/groups/{group}/mapping",
    summary: "Removes the mapping of a group; the group and its members stay. Only at the server's own socket.",
    query: [lockOut], status: .noContent
  ) { call in
    try await GroupMappingAdministration(call.environment).unmap(
      call.number("group"), lockingOut: Int(clamping: call.query.integer("lockOut") ?? 0), by: call.caller)
    return .done
  }
}
