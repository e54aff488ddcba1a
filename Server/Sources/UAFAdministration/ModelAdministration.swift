import AuthenticatorTypes
import Synchronization
import UAFMessages
import UAFService

/// The operations that read figures about authenticator models.
package struct ModelAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// The number of registered keys of each model; the figures are at most a minute old.
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
    // Models with equal numbers of keys stay in the order of their AAIDs.
    counts.enumerated().sorted { ($1.element.keys, $0.offset) < ($0.element.keys, $1.offset) }.map { entry in
      ModelFigures.Model(
        count: entry.element, type: type(of: entry.element.aaid))
    }
  }

  /// The name of the authenticator type with an AAID; nil if it is not one of this project's.
  package static func type(of aaid: AAID) -> String? {
    AuthenticatorType.allCases.first { $0.aaid == aaid.text }?.rawValue
  }
}

/// The number of registered keys of each model.
package struct ModelFigures: Equatable, Sendable {
  package struct Model: Equatable, Sendable {
    package let count: ModelCount
    /// The name of the authenticator type; nil if the model is not one of this project's.
    package let type: String?

    package init(count: ModelCount, type: String?) {
      self.count = count
      self.type = type
    }
  }

  /// When the keys were counted, in seconds since 1970.
  package let time: Int64
  /// The models with the most keys first.
  package let models: [Model]
}

/// The figures that were counted last.
///
/// Counting reads every key. So keys are counted again only if the figures are a minute old, and not each time that somebody
/// opens the page.
package final class ModelFigureMemory: Sendable {
  /// How long figures are shown, in seconds.
  package static let age: Int64 = 60

  private let last = Mutex<ModelFigures?>(nil)

  package init() {}

  /// The figures that were counted last; nil if they are too old, or if the clock was set back since.
  func figures(now: Int64) -> ModelFigures? {
    last.withLock { last in
      guard let last, (0..<Self.age).contains(now.subtractingReportingOverflow(last.time).partialValue) else {
        return nil
      }
      return last
    }
  }

  func keep(_ figures: ModelFigures) { last.withLock { $0 = figures } }
}
