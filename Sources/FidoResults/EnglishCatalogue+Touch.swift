extension EnglishCatalogue {
  /// What came of a touch.
  static func text(_ touch: TouchText) -> String {
    switch touch {
    case .notMatched: "That finger was not recognised: touch the sensor again."
    case .again: "The finger could not be read: touch the sensor again."
    case .tooShort: "The swipe was too short: try again."
    case .notCentred: "Put the finger in the middle of the sensor."
    case .liftFirst: "Lift the finger, then touch the sensor again."
    case .tooFast: "The finger was lifted too soon: touch the sensor again."
    case .waiting: "The fingerprint sensor is still waiting."
    }
  }
}
