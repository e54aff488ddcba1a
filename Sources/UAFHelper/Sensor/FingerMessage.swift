import UAFWire

/// What uaf-finger says.
enum FingerMessage: Equatable {
  case sensor(FingerSensor)
  case touch(FingerTouch)
  case end(FingerEnd)
}
