import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The routes of unlocks.
enum UnlockRoutes {
  static let all = [issue]

  private static let issue = APIRoute(
    method: .POST, path: "/accounts/{account}/unlocks",
    summary: "Gives out an unlock of the account on one machine, as a payload and as codes to type.",
    body: [
      APIInputs.text(
        "machine", "The machine's device id, or the KeyID of one of the account's keys.", isRequired: true),
      APIInputs.number("lifetime", UnlockStatement.lifetimes, "In seconds; 3600 unless given."), APIInputs.reason,
    ], bodyExample: ["machine": .string("d-1"), "lifetime": .integer(3600), "reason": .string("forgot the new value")],
    status: .created,
    example: [
      "id": .string("AAECAwQFBgcICQoLDA0ODw"), "account": .string("mina"), "issued": .integer(1_800_000_000),
      "expires": .integer(1_800_003_600), "payload": .string("eyJhbGciOiJFUzI1NiJ9.e30.c2ln"),
      "codes": .array([
        .object(["machine": .string("7QK3"), "code": .string("DHF3-80KW-1X5R-9TQ2-M6ZB-0C4E")])
      ]), "device": .string("d-1"),
    ]
  ) { call in
    let issued = try await UnlockAdministration(call.environment).issue(
      for: call.part("account"), on: call.body.string("machine"),
      lifetime: call.body.optionalInteger("lifetime") ?? UnlockAdministration.standardLifetime,
      reason: call.body.optionalString("reason") ?? "", by: call.caller)
    return APIAnswer(status: .created, body: APIShapes.issued(issued), secrets: ["payload", "codes"])
  }
}
