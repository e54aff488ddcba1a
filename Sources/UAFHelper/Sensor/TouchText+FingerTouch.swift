import FidoResults
import UAFWire

extension TouchText {
  /// What is said of a touch; nil: that there was none yet.
  init(_ touch: FingerTouch?) {
    self =
      switch touch {
      case nil: .waiting
      case .notMatched, .matched: .notMatched
      case .scanAgain: .again
      case .tooShort: .tooShort
      case .notCentred: .notCentred
      case .liftFirst: .liftFirst
      case .tooFast: .tooFast
      }
  }
}
