/// What is to be done next in a registration.
///
/// Each action but ``finish(_:)`` is answered with a ``RegistrationEvent``.
enum RegistrationAction: Hashable {
  /// The ways to end.
  enum Outcome: Hashable {
    /// The server has accepted the keys, and they are kept.
    case kept
    /// The server refused, or was not reached.
    case refused
    /// The last action could not be done.
    case stopped
    /// The front end went away: nothing more was signed or sent.
    case frontEndGone
    /// An event came that does not fit the last action.
    case outOfTurn
  }

  /// Say whether the code or proof of this registration may set a new value.
  case checkWord
  /// Ask the server for a request, and wait for it.
  case askRequest
  /// Have the person choose what to register, where the request leaves a choice.
  case chooseWay
  /// Have the person verify the next authenticator, if it has a value.
  case openValue
  /// Have the person choose a new value for it.
  case setValue
  /// Say whether the front end is still there.
  case checkFrontEnd
  /// Make a key for each authenticator.
  case makeKeys
  /// Have a registered key authorise the new ones; its place among those that have signed the proof.
  case authorize(Int)
  /// Store that the server may know these keys.
  case noteKeys
  /// Send the keys, and wait for the server's verdict.
  case sendKeys
  /// Read the further request that came with the verdict.
  case receiveFurther
  /// Find the authenticators that sign it.
  case findWay
  /// Make one signature.
  case sign
  /// Send the signatures, and wait for the server's verdict.
  case sendAnswer
  /// Check the server's success as root demands.
  case believe
  /// Keep the keys and values.
  case keep
  /// End.
  case finish(Outcome)
}
