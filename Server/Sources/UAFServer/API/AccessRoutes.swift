import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The routes of tokens and administrators.
enum AccessRoutes {
  static let all = [me, createToken, tokens, revokeToken, administrators, setAdministrator, removeAdministrator]

  private static let token: JSONObject = [
    "name": .string("deploy"), "role": .string("operator"), "createdBy": .string("administrator mina"),
    "created": .integer(1_800_000_000), "expires": .integer(1_802_592_000), "addresses": .array([]),
  ]
  private static let administrator: JSONObject = [
    "name": .string("mina"), "role": .string("administrator"), "addedBy": .string("command-line uid 0"),
    "added": .integer(1_800_000_000),
  ]

  private static let me = APIRoute(
    method: .GET, path: "/me", summary: "The caller, as the audit records them, and their role.",
    example: ["actor": .string("token deploy"), "role": .string("operator")]
  ) { call in
    .ok(["actor": .string(call.caller.actor.text), "role": .string(call.caller.role.rawValue)])
  }

  private static let createToken = APIRoute(
    method: .POST, path: "/tokens",
    summary: "Makes a token, which the response shows once. With a token, only auditors' tokens can be made.",
    body: [
      APIInputs.text("name", "A name that no token has or had.", isRequired: true),
      APIInputs.role(of: Role.allCases),
      APIInputs.number(
        "lifetime", AccessAdministration.lifetimes,
        "In seconds; at most 366 days for an auditor or provisioning, 90 for the helpdesk, 30 for an operator, 7 for an "
          + "administrator.",
        isRequired: true),
      APIRoute.Input(
        name: "addresses", schema: ["type": .string("array"), "items": .object(["type": .string("string")])],
        description: "ADDRESS or ADDRESS/BITS from which it is accepted, at most 16; every address unless given."),
    ],
    bodyExample: ["name": .string("deploy"), "role": .string("operator"), "lifetime": .integer(2_592_000)],
    status: .created, example: ["name": .string("deploy"), "token": .string("uafs_...")]
  ) { call in
    let addresses = try call.body.strings("addresses")
    guard addresses.allSatisfy({ AddressRange(argument: $0) != nil }) else {
      throw Problem(.badRequest, "invalid", "must each be ADDRESS or ADDRESS/BITS", field: "addresses")
    }
    guard let lifetime = try call.body.optionalInteger("lifetime") else {
      throw Problem(.badRequest, "invalid", "is missing", field: "lifetime")
    }
    let made = try await AccessAdministration(call.environment).createToken(
      call.body.string("name"), role: call.role(of: Role.allCases), lifetime: lifetime, addresses: addresses,
      by: call.caller)
    var body = APIShapes.token(made.token)
    body.set("token", .string(made.text))
    return APIResponse(status: .created, body: body, secrets: ["token"])
  }

  private static let tokens = APIRoute(
    method: .GET, path: "/tokens", summary: "All tokens, including those that have ended; never a token itself.",
    example: ["tokens": .array([.object(token)])]
  ) { call in
    let tokens = try await AccessAdministration(call.environment).tokens(by: call.caller)
    return .ok(["tokens": .array(tokens.map { .object(APIShapes.token($0)) })])
  }

  private static let revokeToken = APIRoute(
    method: .DELETE, path: "/tokens/{name}",
    summary: "Revokes a token. Its next request is refused.", status: .noContent
  ) { call in
    try await AccessAdministration(call.environment).revokeToken(call.part("name"), by: call.caller)
    return .done
  }

  private static let administrators = APIRoute(
    method: .GET, path: "/administrators", summary: "All administrators.",
    example: ["administrators": .array([.object(administrator)])]
  ) { call in
    let all = try await AccessAdministration(call.environment).administrators(by: call.caller)
    return .ok(["administrators": .array(all.map { .object(APIShapes.administrator($0)) })])
  }

  private static let setAdministrator = APIRoute(
    method: .PUT, path: "/administrators/{name}",
    summary: "Makes the person who has an account an administrator, or gives them another role.",
    body: [
      APIInputs.role(of: Role.ofPeople),
      APIRoute.Input(
        name: "keys", schema: ["type": .string("array"), "items": .object(["type": .string("string")])],
        description:
          "Keys that count from now on, although their codes were issued without an administrator's signature: "
          + "AAID, a space, KeyID; or passkey, a space, identifier. Only at the server's own socket."),
    ],
    bodyExample: ["role": .string("helpdesk")], status: .noContent
  ) { call in
    let keys = try call.body.strings("keys").map { EarlierKey(try KeyName(named: $0, field: "keys")) }
    try await AccessAdministration(call.environment).setAdministrator(
      call.part("name"), role: call.role(of: Role.ofPeople), counting: keys, by: call.caller)
    return .done
  }

  private static let removeAdministrator = APIRoute(
    method: .DELETE, path: "/administrators/{name}",
    summary: "Removes an administrator; their account stays. Neither the last one, nor a role by a group's mapping.",
    status: .noContent
  ) { call in
    try await AccessAdministration(call.environment).removeAdministrator(call.part("name"), by: call.caller)
    return .done
  }
}
