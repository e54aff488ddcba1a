/// How often a login may ask the server again, and for what.
struct LoginRetries: Hashable {
  /// How often a login is tried again because others of the same person were faster.
  ///
  /// Several may run at once, for example from pssh.
  static let races = 3
  /// How many further requests one question may lead to; the flow with the server has the same limit.
  static let furtherRequests = 4

  private var mayRenew: Bool
  private var mayReplaceExpired: Bool
  private var racesLeft: Int
  private var furtherLeft: Int

  /// The code of an approval is valid for one request, so no other request is asked for.
  init(isApproval: Bool) {
    (mayRenew, mayReplaceExpired) = (!isApproval, !isApproval)
    racesLeft = isApproval ? 0 : Self.races
    furtherLeft = Self.furtherRequests
  }

  /// Whether the age of the request matters.
  ///
  /// A further request is new. Another request is given up for its age only once, so that a login at a slow server can end.
  var countsAge: Bool { mayRenew && furtherLeft == Self.furtherRequests }

  /// Notes that a request was given up for its age.
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
