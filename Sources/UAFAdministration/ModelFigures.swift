import UAFMessages
import UAFService

/// How many keys are registered of each model.
package struct ModelFigures: Equatable, Sendable {
  package struct Model: Equatable, Sendable {
    package let count: ModelCount
    /// The name of the authenticator type, for those of this project.
    package let type: String?

    package init(count: ModelCount, type: String?) {
      self.count = count
      self.type = type
    }
  }

  /// When they were counted, in seconds since 1970.
  package let time: Int64
  /// Those with the most keys first.
  package let models: [Model]
}
