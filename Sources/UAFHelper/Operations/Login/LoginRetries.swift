/// How often a login may ask the server again, and for what.
struct LoginRetries: Hashable {
  /// How often a login is sent again because others of the same person were faster: several may run at once, as pssh starts them.
  static let races = 3
  /// How many further requests one question may lead to; the flow with the server has the same limit.
  static let furtherRequests = 4

  private var mayRenew: Bool
  private var mayReplaceExpired: Bool
  private var racesLeft: Int
  private var furtherLeft: Int

  /// The code of an approval is good for one request, so that nothing is asked for again.
  init(isApproval: Bool) {
    (mayRenew, mayReplaceExpired) = (!isApproval, !isApproval)
    racesLeft = isApproval ? 0 : Self.races
    furtherLeft = Self.furtherRequests
  }

  /// Whether the age of the request matters.
  ///
  /// A further request came just now. Other requests are given up for their age once: a server that takes long for each answer is
  /// answered all the same.
  var countsAge: Bool { mayRenew && furtherLeft == Self.furtherRequests }

  /// Gives up a request for its age.
  mutating func renew() { mayRenew = false }

  /// Begins with another question.
  mutating func beginQuestion() { furtherLeft = Self.furtherRequests }

  /// Takes one further request, if there may be another.
  mutating func takeFurther() -> Bool {
    guard furtherLeft > 0 else { return false }
    furtherLeft -= 1
    return true
  }

  /// Takes one more attempt after a refusal, if it allows one.
  mutating func takeAttempt(after judgement: RefusalJudgement) -> Bool {
    switch judgement {
    case .expired where mayReplaceExpired: mayReplaceExpired = false
    case .overtaken where racesLeft > 0: (racesLeft, mayReplaceExpired) = (racesLeft - 1, false)
    case .expired, .overtaken, .stateIsOlder, .final: return false
    }
    return true
  }
}
