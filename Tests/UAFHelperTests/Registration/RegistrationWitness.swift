@testable import UAFHelper

/// An observer who sees only the events and actions of a registration, not its state, and says whether they are allowed.
struct RegistrationWitness: Hashable {
  private let replacesValues: Bool
  /// The last action, to which the next event responds.
  private var action: RegistrationAction?
  /// Whether the server has checked the code.
  private var isJudged = false
  /// How many authenticators are neither verified nor have a new secret; nil until that is known.
  private var closed: Int?
  private var isNoted = false
  /// The challenge that was received last, and the one to which a response was sent.
  private var challenge: String?
  private var answered: String?
  private var isAccepted = false
  private var isBelieved = false
  private var isOver = false

  init(authenticators: Int, replacesValues: Bool) {
    self.replacesValues = replacesValues
    if replacesValues { closed = authenticators }
  }

  /// Notes an event, and the action with which the machine reacts to it.
  ///
  /// - Returns: the rule that was broken; nil if none was.
  mutating func saw(_ event: RegistrationEvent, then next: RegistrationAction) -> String? {
    let (before, fits) = (action, fits(event))
    if fits { note(event, after: before) }
    action = next
    if case .finish(let outcome) = next {
      if !fits, outcome != .outOfTurn { return "ends as if the event had answered something" }
      return outcome == .kept && !(isBelieved && event == .kept) ? "succeeds without keys that are kept" : nil
    }
    if !fits { return "goes on after an event that answers nothing" }
    return isOver ? "goes on after its end" : objection(to: next, event, after: before)
  }

  private mutating func note(_ event: RegistrationEvent, after before: RegistrationAction?) {
    switch event {
    case .request(let challenge):
      (self.challenge, isJudged) = (challenge, true)
    case .refused(isCodeGood: true): isJudged = true
    case .wayChosen(let count) where before == .chooseWay: closed = count
    case .verified, .valueSet: closed = closed.map { $0 - 1 }
    case .keysNoted: isNoted = true
    case .accepted(let challenge): isAccepted = challenge == answered
    case .believed: isBelieved = isAccepted
    case .stopped, .frontEndGone: isOver = true
    default: break
    }
  }

  private func fits(_ event: RegistrationEvent) -> Bool {
    if event == .stopped { return action != nil }
    return switch (action, event) {
    case (nil, .began), (.checkPermit, .permitted), (.askRequest, .request), (.askRequest, .refused),
      (.chooseWay, .wayChosen), (.openValue, .verified), (.openValue, .valueMissing), (.setValue, .valueSet),
      (.checkFrontEnd, .frontEndThere), (.checkFrontEnd, .frontEndGone), (.makeKeys, .keysMade), (.makeKeys, .refused),
      (.noteKeys, .keysNoted), (.sendKeys, .accepted), (.sendKeys, .furtherRequest), (.sendKeys, .refused),
      (.receiveFurther, .request), (.receiveFurther, .refused), (.findWay, .wayChosen), (.sign, .signed),
      (.sign, .refused), (.sendAnswer, .accepted), (.sendAnswer, .furtherRequest), (.sendAnswer, .refused),
      (.believe, .believed), (.keep, .kept):
      true
    default: false
    }
  }

  private mutating func objection(
    to next: RegistrationAction, _ event: RegistrationEvent, after before: RegistrationAction?
  ) -> String? {
    switch next {
    case .openValue where replacesValues && !isJudged: return "asks for a value before the code was judged"
    case .setValue where before != .checkPermit: return "sets a value without a check of the permit"
    case .makeKeys where closed != 0: return "makes keys before every value was entered"
    case .makeKeys where !replacesValues && event != .frontEndThere: return "makes keys without a look at the front end"
    case .sendKeys where !isNoted: return "sends keys that are not written down"
    case .sendKeys: answered = challenge
    case .sign where event != .frontEndThere, .sendAnswer where event != .frontEndThere:
      return "signs without a look at the front end"
    case .sendAnswer: answered = challenge
    case .keep where !isBelieved: return "keeps keys without a believed verdict on this challenge"
    default: break
    }
    return nil
  }
}
