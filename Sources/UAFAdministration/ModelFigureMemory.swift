import Synchronization

/// The figures that were counted last.
///
/// To count them means to look at each key. So they are counted again only when they are a minute old, and not because somebody
/// looks at a page again.
package final class ModelFigureMemory: Sendable {
  /// How long figures are shown, in seconds.
  package static let age: Int64 = 60

  private let last = Mutex<ModelFigures?>(nil)

  package init() {}

  /// The figures that were counted last; nil if they are too old, or if a clock was set back since.
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
