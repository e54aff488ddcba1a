/// How a login ended, and what had happened by then.
struct LoginEnd: Hashable {
  /// The ways to end.
  enum Outcome: Hashable {
    /// The person is who they say, here and at the server.
    case accepted
    /// The same, by the server's last success.
    case acceptedOffline
    /// The server's refusal, or its silence, decides.
    case refused
    /// An older copy of this machine's state was put back.
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
