import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService

/// The routes of policies.
enum PolicyRoutes {
  static let all = [list, one, preview, save]

  private static let version: JSONObject = [
    "number": .integer(3), "time": .integer(1_800_000_000), "actor": .string("administrator mina"),
    "reason": .string("both, for everybody"), "policy": .string(#"{"accepted": [["passcode", "pattern"]]}"#),
  ]
  private static let policy = APIInputs.text(
    "policy", "The policy, which is JSON itself; docs/server.md has its form.", isRequired: true)

  private static let list = APIRoute(
    method: .GET, path: "/policies", summary: "The saved policies, the newest first. The first is in force.",
    query: [APIInputs.after("A policy's number."), APIInputs.limit],
    example: ["policies": .array([.object(version)]), "next": .string("3")]
  ) { call in
    let page = try await PolicyAdministration(call.environment).versions(
      after: call.query["after"], limit: try call.limit(), by: call.caller)
    return .ok(APIShapes.page(page, "policies", APIShapes.policy))
  }

  private static let one = APIRoute(
    method: .GET, path: "/policies/{number}", summary: "One saved policy.", example: version
  ) { call in
    let number = try call.number("number")
    return .ok(
      APIShapes.policy(try await PolicyAdministration(call.environment).version(number, by: call.caller)))
  }

  private static let preview = APIRoute(
    method: .POST, path: "/policy-previews", summary: "Shows whom a policy would affect, and changes nothing.",
    body: [policy], bodyExample: ["policy": .string("{}")],
    example: APIShapes.preview(PolicyPreview())
  ) { call in
    let text = try call.body.string("policy")
    return .ok(APIShapes.preview(try await PolicyAdministration(call.environment).preview(text, by: call.caller)))
  }

  private static let save = APIRoute(
    method: .POST, path: "/policies", summary: "Saves a policy, which is in force from then on.",
    body: [
      policy, APIInputs.text("reason", "Why, for the history; 1 to 500 bytes.", isRequired: true),
      APIInputs.number(
        "after", 0...Int64.max, "The number of the policy on which it is based; 0 for none.", isRequired: true),
      APIInputs.number("lockOut", 0...Int64.max, "How many accounts the policy may lock out; the default is 0."),
    ],
    bodyExample: ["policy": .string("{}"), "reason": .string("each by itself"), "after": .integer(3)],
    status: .created, example: version
  ) { call in
    guard let last = try call.body.optionalInteger("after") else {
      throw Problem(.badRequest, "invalid", "is missing", field: "after")
    }
    let saved = try await PolicyAdministration(call.environment).save(
      call.body.string("policy"), reason: call.body.string("reason"), after: last,
      lockingOut: Int(clamping: call.body.optionalInteger("lockOut") ?? 0), by: call.caller)
    return APIResponse(
      status: .created, body: APIShapes.policy(saved), location: PathText.joined(["policies", String(saved.number)]))
  }
}

/// The route of the models of authenticators.
enum ModelRoutes {
  static let all = [figures]

  private static let figures = APIRoute(
    method: .GET, path: "/models",
    summary:
      "How many keys are registered for each model, the model with the most first; counted at most once a minute.",
    example: [
      "time": .integer(1_800_000_000),
      "models": .array([
        .object([
          "aaid": .string("5541#0001"), "type": .string("passcode"), "keys": .integer(7), "revokedKeys": .integer(1),
        ])
      ]),
    ]
  ) { call in
    let figures = try await ModelAdministration(call.environment).figures(by: call.caller)
    return .ok([
      "time": .integer(figures.time), "models": .array(figures.models.map { .object(APIShapes.model($0)) }),
    ])
  }
}
