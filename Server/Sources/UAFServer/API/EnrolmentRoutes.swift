import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The routes of enrolment codes.
enum EnrolmentRoutes {
  static let all = [issue, list, close]

  private static let issue = APIRoute(
    method: .POST, path: "/enrolment-codes",
    summary: "Issues a code with which a person registers once; an earlier code of the account is closed.",
    body: [
      APIInputs.text("account", "The account; it is created if it does not exist.", isRequired: true),
      APIInputs.number("lifetime", EnrolmentAdministration.lifetimes, "In seconds; the default is 900."),
    ], bodyExample: ["account": .string("mina"), "lifetime": .integer(900)], status: .created,
    example: [
      "account": .string("mina"), "expires": .integer(1_800_000_900), "code": .string("B9D5-MPJT-B9D5-MPJQ"),
      "payload": .string("eyJ2IjoyfQ"),
    ]
  ) { call in
    let issued = try await EnrolmentAdministration(call.environment).issue(
      for: call.body.string("account"),
      lifetime: call.body.optionalInteger("lifetime") ?? EnrolmentAdministration.standardLifetime, by: call.caller)
    return APIResponse(status: .created, body: APIShapes.issued(issued), secrets: ["code", "payload"])
  }

  private static let list = APIRoute(
    method: .GET, path: "/enrolment-codes", summary: "Codes that were issued, the newest first; never a code itself.",
    query: [
      APIInputs.flag("open", "Only codes with which somebody can register now."),
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

/// The routes of join codes.
enum JoinCodeRoutes {
  static let all = [issue, list, close]

  private static let code: JSONObject = [
    "number": .integer(4), "group": .string("lab"), "machines": .integer(200), "used": .integer(17),
    "issuedBy": .string("token deploy"), "issued": .integer(1_800_000_000), "expires": .integer(1_800_086_400),
    "state": .string("open"),
  ]

  private static let issue = APIRoute(
    method: .POST, path: "/join-codes", summary: "Issues a code with which machines join.",
    body: [
      APIInputs.text("group", "The group that the machines join; the default is `default`."),
      APIInputs.number("machines", JoinCodeAdministration.counts, "How many machines may join; the default is 1."),
      APIInputs.number("lifetime", JoinCodeAdministration.lifetimes, "In seconds; the default is 86400."),
      APIInputs.text(
        "authority", "Certificates in PEM that the machines will trust; the default is the server's own authority."),
    ], bodyExample: ["group": .string("lab"), "machines": .integer(200)], status: .created,
    example: [
      "number": .integer(4), "group": .string("lab"), "machines": .integer(200), "expires": .integer(1_800_086_400),
      "payload": .string("eyJ2IjoxfQ"), "fingerprint": .string("9f86d081..."),
    ]
  ) { call in
    let issued = try await JoinCodeAdministration(call.environment).issue(
      group: call.body.optionalString("group") ?? MachineGroup.standard.name,
      machines: call.body.optionalInteger("machines") ?? 1,
      lifetime: call.body.optionalInteger("lifetime") ?? JoinCodeAdministration.standardLifetime,
      authority: call.body.optionalString("authority"), by: call.caller)
    return APIResponse(status: .created, body: APIShapes.issued(issued), secrets: ["payload"])
  }

  private static let list = APIRoute(
    method: .GET, path: "/join-codes", summary: "Join codes that were issued, the newest first; never a code itself.",
    query: [APIInputs.after("A code's number."), APIInputs.limit],
    example: ["codes": .array([.object(code)]), "next": .string("4")]
  ) { call in
    let now = call.environment.now()
    let page = try await JoinCodeAdministration(call.environment).page(
      before: call.query.integer("after"), limit: try call.limit(), by: call.caller)
    return .ok(APIShapes.page(page, "codes") { APIShapes.joinCode($0, now: now) })
  }

  private static let close = APIRoute(
    method: .DELETE, path: "/join-codes/{number}",
    summary: "Closes a join code; the machines that have joined with it stay.", status: .noContent
  ) { call in
    try await JoinCodeAdministration(call.environment).close(try call.number("number"), by: call.caller)
    return .done
  }
}
