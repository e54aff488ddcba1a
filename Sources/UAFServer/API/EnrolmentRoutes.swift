import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The routes of enrolment codes.
enum EnrolmentRoutes {
  static let all = [issue, list, close]

  private static let issue = APIRoute(
    method: .POST, path: "/enrolment-codes",
    summary: "Issues a code with which a person registers once; an earlier one of the account is closed.",
    body: [
      APIInputs.text("account", "The account; it is made if it is not there.", isRequired: true),
      APIInputs.number("lifetime", EnrolmentAdministration.lifetimes, "In seconds; 900 unless given."),
    ], bodyExample: ["account": .string("mina"), "lifetime": .integer(900)], status: .created,
    example: ["account": .string("mina"), "expires": .integer(1_800_000_900), "payload": .string("eyJ2IjoxfQ")]
  ) { call in
    let issued = try await EnrolmentAdministration(call.environment).issue(
      for: call.body.string("account"),
      lifetime: call.body.optionalInteger("lifetime") ?? EnrolmentAdministration.standardLifetime, by: call.caller)
    return APIAnswer(status: .created, body: APIShapes.issued(issued), secrets: ["payload"])
  }

  private static let list = APIRoute(
    method: .GET, path: "/enrolment-codes", summary: "Codes that were issued, the newest first; never the code.",
    query: [
      APIInputs.flag("open", "Only those that somebody can register with now."),
      APIInputs.after("A code's number."), APIInputs.limit,
    ],
    example: [
      "codes": .array([
        .object([
          "number": .integer(4), "account": .string("mina"), "issuedBy": .string("token helpdesk"),
          "issued": .integer(1_800_000_000), "expires": .integer(1_800_000_900), "isOpen": .bool(true),
        ])
      ])
    ]
  ) { call in
    let page = try await EnrolmentAdministration(call.environment).page(
      before: call.query.integer("after"), onlyOpen: try call.query.flag("open"), limit: try call.limit(),
      by: call.caller)
    return .ok(APIShapes.page(page, "codes", APIShapes.code))
  }

  private static let close = APIRoute(
    method: .DELETE, path: "/accounts/{account}/enrolment-code", summary: "Closes the open code of an account.",
    status: .noContent
  ) { call in
    try await EnrolmentAdministration(call.environment).close(for: call.part("account"), by: call.caller)
    return .done
  }
}
