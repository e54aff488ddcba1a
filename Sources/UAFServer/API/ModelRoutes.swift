import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The route of the models of authenticators.
enum ModelRoutes {
  static let all = [figures]

  private static let figures = APIRoute(
    method: .GET, path: "/models",
    summary: "How many keys are registered of each model, the one with the most first; counted once a minute at most.",
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
