import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The routes of texts that people confirm.
enum ApprovalRoutes {
  static let all = [create, list, one, close]

  private static let approval: JSONObject = [
    "number": .integer(3), "account": .string("mina"),
    "text": .string("Asked of mina by token deploy: Deploy 4.2 to production"), "expires": .integer(1_800_000_120),
    "outcome": .string("open"),
  ]

  private static let create = APIRoute(
    method: .POST, path: "/approvals",
    summary: "Opens a text for a person to confirm; an earlier text that waits for the same account is closed.",
    body: [
      APIInputs.text("account", "Who confirms it.", isRequired: true),
      APIInputs.text(
        "text",
        "The server puts before it who asks; together they have at most 200 bytes.", isRequired: true),
      APIInputs.number("lifetime", ApprovalAdministration.lifetimes, "In seconds; the default is 120."),
    ], bodyExample: ["account": .string("mina"), "text": .string("Deploy 4.2 to production")], status: .created,
    example: [
      "account": .string("mina"), "expires": .integer(1_800_000_120), "payload": .string("eyJ2IjoxfQ"),
      "number": .integer(3),
    ]
  ) { call in
    let issued = try await ApprovalAdministration(call.environment).create(
      call.body.string("text"), for: call.body.string("account"),
      lifetime: call.body.optionalInteger("lifetime") ?? ApprovalAdministration.standardLifetime, by: call.caller)
    return APIResponse(
      status: .created, body: APIShapes.issued(issued),
      location: issued.number.map { PathText.joined(["approvals", String($0)]) }, secrets: ["payload"])
  }

  private static let list = APIRoute(
    method: .GET, path: "/approvals", summary: "Texts, the newest first.",
    query: [APIInputs.after("A text's number."), APIInputs.limit],
    example: ["approvals": .array([.object(approval)])]
  ) { call in
    let page = try await ApprovalAdministration(call.environment).page(
      before: call.query.integer("after"), limit: try call.limit(), by: call.caller)
    return .ok(APIShapes.page(page, "approvals", APIShapes.approval))
  }

  private static let one = APIRoute(
    method: .GET, path: "/approvals/{number}",
    summary: "One text and its outcome; not found if it was closed before a reply.", example: approval
  ) { call in
    .ok(
      APIShapes.approval(
        try await ApprovalAdministration(call.environment).approval(call.number("number"), by: call.caller)))
  }

  private static let close = APIRoute(
    method: .DELETE, path: "/approvals/{number}",
    summary: "Closes a text that waits, so that nobody can confirm it any more.",
    status: .noContent
  ) { call in
    try await ApprovalAdministration(call.environment).close(call.number("number"), by: call.caller)
    return .done
  }
}
