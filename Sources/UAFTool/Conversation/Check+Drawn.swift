import UAFWire

extension Check {
  /// Whether an answer can be drawn on a grid instead of typed.
  var isDrawn: Bool {
    switch self {
    case .pattern: true
    case .passcode, .choice, .code, .unknown: false
    }
  }
}
