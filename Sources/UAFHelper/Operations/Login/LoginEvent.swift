/// What has happened in a login.
///
/// Each event answers the last ``LoginAction``. One that does not fit it ends the login.
enum LoginEvent: Hashable {
  /// The login begins.
  case began
  /// The question for a request was sent.
  case questionSent
  /// A request arrived that can be answered.
  case request(challenge: String, hasText: Bool)
  /// Something else came in place of a request or a success, or nothing came.
  case refused(LoginRefusal)
  /// The answer to an earlier question was read and dropped.
  case dropped(isReached: Bool)
  /// The text of the request is shown with the prompt.
  case textTaken
  /// The front end goes on.
  case resumed
  /// The person has to choose, and the choice needs the server's policy: nobody was asked yet.
  case leftToChoose
  /// A value was entered, counted as an attempt, and found right.
  case verified
  /// Everything that the request needs was verified; this many signatures are to be made.
  case wayOpen(signatures: Int)
  /// The person chose to register anew in place of a login.
  case registerAnewChosen
  /// Whether the request is too old to be used.
  case age(isOld: Bool)
  /// The front end is still there.
  case frontEndThere
  /// The front end has gone away: nobody waits for the result.
  case frontEndGone
  /// One signature was made.
  case signed
  /// The server wants a further signature before it decides.
  case furtherRequest
  /// The server accepts the answer to this challenge.
  case accepted(challenge: String)
  /// The server's success was checked as root demands.
  case believed
  /// Whether a refusal allows another attempt.
  case judged(RefusalJudgement)
  /// The server's last success still holds.
  case lastYesHolds
  /// The action could not be done: the entry was wrong, locked or cancelled, the time is over, or something failed here.
  case stopped
}
