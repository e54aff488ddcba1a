import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The routes of machines.
enum MachineRoutes {
  static let all = [list, one, revoke]

  private static let machine: JSONObject = [
    "device": .string("d-1"), "people": .integer(1), "keys": .integer(1), "revokedKeys": .integer(0),
    "registered": .integer(1_799_000_000), "name": .string("desk-17"), "group": .string("lab"),
    "joined": .integer(1_798_000_000), "lastContact": .integer(1_799_100_000), "module": .string("1.0"),
    "policy": .integer(3), "moreLocks": .integer(0),
    "locks": .array([
      .object([
        "account": .string("alice"), "type": .string("passcode"), "origin": .string("local"),
        "until": .integer(1_799_100_600),
      ])
    ]),
  ]

  private static let list = APIRoute(
    method: .GET, path: "/machines",
    summary: "The machines of the fleet, with keys or joined, in the order of their device ids.",
    query: [APIInputs.after("A device id."), APIInputs.limit],
    example: ["machines": .array([.object(machine)]), "next": .string("d-1")]
  ) { call in
    let page = try await MachineAdministration(call.environment).page(
      after: call.query["after"] ?? "", limit: try call.limit(), by: call.caller)
    return .ok(APIShapes.page(page, "machines", APIShapes.machine))
  }

  private static let one = APIRoute(
    method: .GET, path: "/machines/{device}", summary: "One machine, and the first 1,000 of its keys.",
    example: ["machine": .object(machine), "keys": .array([])]
  ) { call in
    let found = try await MachineAdministration(call.environment).machine(call.part("device"), by: call.caller)
    return .ok([
      "machine": .object(APIShapes.machine(found.machine)),
      "keys": .array(found.keys.map { .object(APIShapes.key($0)) }),
    ])
  }

  private static let revoke = APIRoute(
    method: .POST, path: "/machines/{device}/revocations", summary: "Revokes all keys on a machine, and its joining.",
    body: [APIInputs.reason], bodyExample: ["reason": .string("stolen")], example: ["revoked": .integer(1)]
  ) { call in
    let count = try await MachineAdministration(call.environment).revoke(
      call.part("device"), reason: call.body.optionalString("reason") ?? "", by: call.caller)
    return .ok(["revoked": .integer(Int64(count))])
  }
}
