/// Why the sensor was not claimed: something that a person can be told, or a failure of the state.
enum FingerRefusal: Error {
  case obstacle(FingerObstacle)
  case ending(Ending)

  /// The same as the end of a call.
  var ending: Ending {
    switch self {
    case .obstacle(let obstacle): obstacle.ending
    case .ending(let ending): ending
    }
  }
}
