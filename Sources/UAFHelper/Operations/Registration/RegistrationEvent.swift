/// What has happened in a registration.
///
/// Each event answers the last ``RegistrationAction``. One that does not fit it ends the registration.
enum RegistrationEvent: Hashable {
  /// The registration begins.
  case began
  /// The code or proof of this registration may set a new value.
  case wordAllowed
  /// A request arrived that can be answered.
  case request(challenge: String)
  /// Something else came in place of a request or a success, or nothing came.
  ///
  /// - Parameter isCodeGood: whether the server accepted the code, and only an authenticator is missing.
  case refused(isCodeGood: Bool)
  /// This many authenticators take part.
  case wayChosen(authenticators: Int)
  /// The authenticator has a value: it was entered, counted as an attempt, and found right.
  case verified
  /// The authenticator has no value that is to be kept.
  case valueMissing
  /// A new value was entered twice.
  case valueSet
  /// The front end is still there.
  case frontEndThere
  /// The front end has gone away: nobody waits for the result.
  case frontEndGone
  /// A new key was made for each authenticator.
  case keysMade
  /// It is stored that the server may know these keys.
  case keysNoted
  /// One signature was made.
  case signed
  /// The server wants a further signature before it decides.
  case furtherRequest
  /// The server accepts the answer to this challenge.
  case accepted(challenge: String)
  /// The server's success was checked as root demands.
  case believed
  /// The keys and values are in the account's file.
  case kept
  /// The action could not be done: the entry was wrong, locked or cancelled, the time is over, or something failed here.
  case stopped
}
