import Authenticator
import UAFMessages
import UAFService

/// What administrators see of the models of authenticators.
package struct ModelAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// How many keys are registered of each model; at most a minute old.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func figures(by caller: Caller) async throws -> ModelFigures {
    try caller.require(.read)
    let now = environment.now()
    if let figures = environment.modelFigures.figures(now: now) { return figures }
    let counts = try await environment.read { try $0.credentials.countsByModel() }
    let figures = ModelFigures(time: now, models: Self.sorted(counts))
    environment.modelFigures.keep(figures)
    return figures
  }

  private static func sorted(_ counts: [ModelCount]) -> [ModelFigures.Model] {
    // Models with as many keys stay in the order of their AAIDs.
    counts.enumerated().sorted { ($1.element.keys, $0.offset) < ($0.element.keys, $1.offset) }.map { entry in
      ModelFigures.Model(
        count: entry.element, type: AuthenticatorType.allCases.first { $0.aaid == entry.element.aaid.text }?.rawValue)
    }
  }
}
