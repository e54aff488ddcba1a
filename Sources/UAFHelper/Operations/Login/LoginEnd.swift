/// How a login ended, and what had happened by then.
struct LoginEnd: Hashable {
  /// The ways to end.
  enum Outcome: Hashable {
    /// The person was verified here, and the server accepted the answer.
    case accepted
    /// The person was verified here, and the server's last success still holds.
    case acceptedOffline
    /// The server refused, or was not reached.
    case refused
    /// There is no request, and the front end was to hear of one before anybody is asked.
    case noRequest
    /// An older copy of this machine's state was restored.
    case stateIsOlder
    /// The last action could not be done.
    case stopped
    /// The front end went away: nothing more was signed or sent.
    case frontEndGone
    /// The front end went away after an answer was sent.
    case answerUnused
    /// An event came that does not fit the last action.
    case outOfTurn
  }

  let outcome: Outcome
  /// What had happened by then.
  let standing: LoginStanding
}
