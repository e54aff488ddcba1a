@testable import UAFHelper

/// An observer who sees only the events and actions of a login, not its state, and says whether they are allowed.
struct LoginWitness: Hashable {
  private var rules: LoginRules
  /// The last action, to which the next event responds.
  private(set) var action: LoginAction?
  private var wasAsked = false
  private var hasProved = false
  private var isReached = false
  private var isTextShown = false
  /// Whether the current request has a transaction text.
  private var hasText = false
  private var isFirstQuestion = true
  /// The challenge that was received last, and the one to which a response was sent.
  private var challenge: String?
  private var answered: String?
  /// The challenge in the success of the server.
  private var accepted: String?
  /// Whether the person has chosen to register again at the prompt.
  private var isRegistering = false
  /// Whether the person, a time limit or the front end has ended the login.
  private var isOver = false

  init(_ rules: LoginRules) { self.rules = rules }

  /// Notes an event, and the action with which the machine reacts to it.
  ///
  /// - Returns: the rule that was broken; nil if none was.
  mutating func saw(_ event: LoginEvent, then next: LoginAction) -> String? {
    let (before, fits) = (action, fits(event))
    note(event, after: before, fits)
    action = next
    if case .finish(let end) = next { return objection(to: end, event, after: before, fits) }
    if !fits { return "goes on after an event that answers nothing" }
    if isOver { return "goes on after its end" }
    if isRegistering, next != .registerAnew { return "goes on after registering anew" }
    return objection(to: next, event)
  }

  private mutating func note(_ event: LoginEvent, after before: LoginAction?, _ fits: Bool) {
    guard fits else { return }
    switch event {
    case .verified, .wayOpen: hasProved = true
    case .request(let challenge, let hasText): (self.challenge, self.hasText, isReached) = (challenge, hasText, true)
    case .refused(let refusal) where refusal == .no || refusal == .brokenOff:
      // The login is over, so it does not matter what the server says about a response that nobody waits for.
      isReached = true
    case .dropped(isReached: true): isReached = true
    case .textTaken: isTextShown = true
    case .accepted(let challenge): accepted = challenge
    case .registerAnewChosen: isRegistering = true
    case .stopped, .frontEndGone: isOver = true
    default: break
    }
    switch before {
    case .sendQuestion(let isFirst):
      (isFirstQuestion, challenge, answered, accepted) = (isFirst, nil, nil, nil)
    case .openFirst where event != .leftToChoose, .openAny, .openWay: wasAsked = true
    default: break
    }
    forget(after: event)
  }

  /// Forgets what no later rule depends on, so that the exploration meets fewer states.
  private mutating func forget(after event: LoginEvent) {
    if isReached { rules.allowsOffline = false }
    if event == .furtherRequest { answered = nil }
    guard wasAsked else { return }
    (rules.isApproval, rules.isDivided, rules.takesServersText) = (false, false, false)
    (isTextShown, hasText, isFirstQuestion) = (false, false, false)
  }

  /// Whether an event can be the response to the last action.
  private func fits(_ event: LoginEvent) -> Bool {
    if event == .stopped { return action != nil }
    return switch (action, event) {
    case (nil, .began), (.sendQuestion, .questionSent), (.sendQuestion, .refused), (.receiveRequest, .request),
      (.receiveRequest, .refused), (.dropAnswer, .dropped), (.takeText, .textTaken), (.awaitResume, .resumed),
      (.openFirst, .verified), (.openFirst, .leftToChoose), (.openAny, .verified), (.openWay, .wayOpen),
      (.openAny, .registerAnewChosen), (.openWay, .registerAnewChosen),
      (.measureAge, .age), (.checkFrontEnd, .frontEndThere), (.checkFrontEnd, .frontEndGone), (.sign, .signed),
      (.sign, .refused), (.sendAnswer, .refused), (.sendAnswer, .furtherRequest), (.sendAnswer, .accepted),
      (.believe, .believed), (.judgeRefusal, .judged), (.judgeLastYes, .lastYesHolds):
      true
    default: false
    }
  }

  /// The rule that an action breaks that continues the login; nil if none.
  private mutating func objection(to next: LoginAction, _ event: LoginEvent) -> String? {
    switch next {
    case .openFirst, .openAny, .openWay:
      if rules.isApproval, !isTextShown { return "asks before the text of the approval is shown" }
      if rules.takesServersText, isFirstQuestion, !wasAsked, hasText, !isTextShown {
        return "asks before the server's text is shown"
      }
    case .awaitResume where challenge == nil && !rules.hidesState && (!rules.allowsOffline || isReached):
      return "is ready without a request"
    case .takeText where wasAsked: return "shows a text after the value was entered"
    case .takeText where !rules.isApproval && !rules.takesServersText: return "shows a text that root does not want"
    case .sign, .sendAnswer:
      if !hasProved { return "signs without a verified value" }
      if event != .frontEndThere { return "signs without a look at the front end" }
      if next == .sendAnswer { (answered, challenge) = (challenge, nil) }
    case .judgeLastYes where !rules.allowsOffline || isReached || !hasProved:
      return "asks the last yes where that does not count"
    default: break
    }
    return nil
  }

  private func objection(
    to end: LoginEnd, _ event: LoginEvent, after before: LoginAction?, _ fits: Bool
  ) -> String? {
    if end.standing.hasProved, !hasProved { return "takes a value for verified that was not" }
    if wasAsked, !end.standing.wasAsked { return "could be ignored after somebody was asked" }
    if isReached, !end.standing.isReached, end.outcome != .answerUnused { return "takes the server for away" }
    switch end.outcome {
    case .accepted:
      let isBelieved = before == .believe && event == .believed && accepted == answered && answered != nil
      if !isBelieved { return "succeeds without a believed verdict on this challenge" }
      if !hasProved { return "succeeds without a verified value" }
    case .acceptedOffline:
      if !fits || event != .lastYesHolds || !rules.allowsOffline || isReached || !hasProved {
        return "succeeds without the server where that is not allowed"
      }
    case .refused, .stateIsOlder:
      // The text of an approval is shown before any secret is entered, and a request that could not be sent has no answer.
      let isSaid = hasProved || rules.isApproval && !wasAsked || !wasAsked && Self.isQuestion(before)
      if !isSaid { return "tells what the server says before the value was entered" }
    case .noRequest where wasAsked || !rules.isDivided || challenge != nil:
      return "ends for want of a request for no reason"
    case .stopped where event != .stopped, .frontEndGone where event != .frontEndGone,
      .answerUnused where event != .frontEndGone:
      return "ends for no reason"
    case .noRequest, .stopped, .frontEndGone, .answerUnused, .outOfTurn: break
    }
    if !fits, end.outcome != .outOfTurn { return "ends as if the event had answered something" }
    return nil
  }

  private static func isQuestion(_ action: LoginAction?) -> Bool {
    if case .sendQuestion = action { true } else { false }
  }
}
