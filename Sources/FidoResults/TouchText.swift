/// What came of a touch of the fingerprint sensor, as people read it.
public enum TouchText: Hashable, Sendable, CaseIterable {
  /// The finger is not one of the account's.
  case notMatched
  /// Nothing could be read.
  case again
  /// The swipe was too short.
  case tooShort
  /// The finger did not lie in the middle.
  case notCentred
  /// The finger has to be lifted first.
  case liftFirst
  /// The finger was lifted too soon.
  case tooFast
  /// Nobody has touched the sensor yet.
  case waiting
}
