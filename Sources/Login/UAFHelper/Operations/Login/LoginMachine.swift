import FidoResults

/// The order of the steps in a login, and nothing else.
///
/// A value without input or output, time, account or network. ``LoginDriver`` does each action, and reports its outcome with one
/// event. The rules:
///
/// - The person verifies a value before anything is signed, and before anything is said about the server's answer. An approval
///   is the exception: its text comes with the request, and must be shown first.
/// - A divided login pauses after it has received the request. Without a request, it ends before anybody is asked, and does not
///   say why.
/// - A request that is too old is asked for again once, and so is a request that the server no longer knows. If other logins of
///   the same person were faster, the login is tried again three times.
/// - Before each signature, before the answer, and before a refusal is reported, the front end must still be there.
/// - The server's success is accepted only if it is for the challenge that was answered, and after it was checked as root's
///   configuration requires.
/// - An event that does not fit the last action ends the login without success.
struct LoginMachine: Hashable {
  private var step = Step.ready
  private var request = Request.none
  private var preparations: [LoginPreparation]
  private var standing = LoginStanding()
  /// Whether the server's last success may still decide, because root allows it and the server was not reached.
  private var mayDoWithoutServer: Bool
  private let hidesState: Bool
  private var retries: LoginRetries
  /// How many authenticators can sign an answer.
  private var authenticators: Int

  /// The action that was asked for.
  private enum Step: Hashable {
    case ready, sending, receiving, dropping
    case takingText, pausing, openingFirst, openingAny, openingWay, registeringAnew
    /// With the number of signatures that follow; nil before a value was entered for the request.
    case measuring(signatures: Int?)
    case lookingForFrontEnd(before: GuardedStep)
    case signing(left: Int)
    case answering, believing, judging
    /// The refusal decides unless the last success is still valid.
    case judgingLastYes
    case ended
  }

  /// A step that is done only while the front end is connected.
  private enum GuardedStep: Hashable {
    case signing(left: Int)
    case answering
    /// Reporting that there is no request.
    case refusingRequest(LoginRefusal)
    /// Reporting the server's refusal of the answer.
    case refusingAnswer(LoginRefusal)
  }

  /// The server's request.
  private enum Request: Hashable {
    case none
    /// Asked for, but not received yet.
    case pending
    case here(challenge: String, hasText: Bool)
    /// Kept until the person has verified a value.
    case refused(LoginRefusal)
    case used(challenge: String)
    /// Came with the verdict on an earlier answer, and has not been read yet.
    case further
  }

  /// Makes the machine of one login.
  init(_ rules: LoginRules) {
    preparations = LoginPreparation.all(under: rules)
    retries = LoginRetries(isApproval: rules.isApproval)
    authenticators = rules.authenticators
    hidesState = rules.hidesState
    mayDoWithoutServer = rules.allowsOffline && !rules.isApproval
  }

  /// Processes what happened, and says what to do next.
  mutating func received(_ event: LoginEvent) -> LoginAction {
    if event == .stopped, step != .ready, step != .ended { return finish(.stopped) }
    return follow(event) ?? finish(.outOfTurn)
  }

  /// - Returns: nil for an event that does not fit.
  private mutating func follow(_ event: LoginEvent) -> LoginAction? {
    switch step {
    case .ready: event == .began ? ask(isFirst: true) : nil
    case .sending, .receiving, .dropping: heard(event)
    case .takingText, .pausing, .openingFirst, .openingAny, .openingWay, .registeringAnew: done(event)
    case .measuring(let signatures): measured(event, signatures)
    case .lookingForFrontEnd(let guarded): looked(event, before: guarded)
    case .signing, .answering, .believing: answered(event)
    case .judging, .judgingLastYes: judged(event)
    case .ended: nil
    }
  }

  // MARK: What the server sends

  private mutating func heard(_ event: LoginEvent) -> LoginAction? {
    switch (step, event) {
    case (.sending, .questionSent):
      request = .pending
      return prepare()
    case (.sending, .refused(let refusal)):
      hear(refusal)
      return preparations.contains(.request) ? finish(.noRequest) : refuse(refusal)
    case (.receiving, .request(let challenge, let hasText)):
      (standing.isReached, standing.hasRequest, mayDoWithoutServer) = (true, true, false)
      request = .here(challenge: challenge, hasText: hasText)
    case (.receiving, .refused(let refusal)):
      hear(refusal)
      request = .refused(refusal)
    case (.dropping, .dropped(let isReached)):
      if isReached { (standing.isReached, mayDoWithoutServer) = (true, false) }
      return ask(isFirst: false)
    default: return nil
    }
    return preparations.isEmpty ? answer() : prepare()
  }

  private mutating func hear(_ refusal: LoginRefusal) {
    standing.hear(refusal)
    if standing.isReached { mayDoWithoutServer = false }
  }

  private mutating func ask(isFirst: Bool) -> LoginAction {
    (step, request) = (.sending, .none)
    retries.beginQuestion()
    return .sendQuestion(isFirst: isFirst)
  }

  private mutating func receive() -> LoginAction {
    step = .receiving
    return .receiveRequest
  }

  /// Drops the request and asks for another one.
  private mutating func restart() -> LoginAction {
    // The pending answer is read first, or it would be taken for the answer to the next question.
    guard request == .pending else { return ask(isFirst: false) }
    step = .dropping
    return .dropAnswer
  }

  // MARK: Before the request is answered

  private mutating func prepare() -> LoginAction? {
    guard let preparation = preparations.first else { return attempt() }
    if preparation.needsRequest, request == .pending { return receive() }
    preparations.removeFirst()
    switch (preparation, request) {
    case (.approvalText, .here(_, hasText: true)), (.serversText, .here(_, hasText: true)):
      step = .takingText
      return .takeText
    case (.approvalText, .refused(let refusal)): return refuse(refusal)
    // Without the text, nobody is asked to approve it.
    case (.approvalText, _): return nil
    case (.request, .refused(let refusal)) where !mayPause(after: refusal): return finish(.noRequest)
    // A refusal is kept for later: what the server says of an account is shown only to a person who has entered its secret.
    case (.serversText, _), (.request, _): return prepare()
    case (.pause, _):
      step = .pausing
      return .awaitResume
    case (.firstValue, _):
      standing.wasAsked = true
      step = .openingFirst
      return .openFirst
    }
  }

  /// Whether a divided login continues without a request.
  ///
  /// The server's last success may replace the request. If states are hidden, a server without decoys must not show by a refusal
  /// which names it has. But if it is unreachable, it is unreachable for every name.
  private func mayPause(after refusal: LoginRefusal) -> Bool {
    switch refusal {
    case .silence: mayDoWithoutServer
    case .no, .brokenOff: hidesState
    case .local: false
    }
  }

  private mutating func done(_ event: LoginEvent) -> LoginAction? {
    switch (step, event) {
    case (.takingText, .textTaken), (.pausing, .resumed), (.openingFirst, .leftToChoose): return prepare()
    case (.openingFirst, .verified):
      standing.hasProved = true
      return prepare()
    case (.openingAny, .verified):
      standing.hasProved = true
      return judge()
    // A new value proves nothing: only the end follows.
    case (.openingAny, .registerAnewChosen), (.openingWay, .registerAnewChosen):
      step = .registeringAnew
      return .registerAnew
    case (.openingWay, .wayOpen(let signatures)) where signatures > 0 && signatures <= authenticators:
      standing.hasProved = true
      // A further prompt may have taken a long time.
      return retries.countsAge ? measure(signatures) : look(before: .signing(left: signatures))
    default: return nil
    }
  }

  // MARK: The answer

  private mutating func attempt() -> LoginAction { retries.countsAge ? measure(nil) : answer() }

  private mutating func measure(_ signatures: Int?) -> LoginAction {
    step = .measuring(signatures: signatures)
    return .measureAge
  }

  private mutating func measured(_ event: LoginEvent, _ signatures: Int?) -> LoginAction? {
    switch event {
    case .age(isOld: true):
      retries.renew()
      return restart()
    case .age(isOld: false): return signatures.map { look(before: .signing(left: $0)) } ?? answer()
    default: return nil
    }
  }

  private mutating func answer() -> LoginAction {
    switch request {
    case .refused(let refusal): return look(before: .refusingRequest(refusal))
    case .here(let challenge, _):
      request = .used(challenge: challenge)
      standing.wasAsked = true
      step = .openingWay
      return .openWay
    case .none, .pending, .used, .further: return receive()
    }
  }

  private mutating func look(before guarded: GuardedStep) -> LoginAction {
    step = .lookingForFrontEnd(before: guarded)
    return .checkFrontEnd
  }

  private mutating func looked(_ event: LoginEvent, before guarded: GuardedStep) -> LoginAction? {
    switch (guarded, event) {
    case (.refusingAnswer, .frontEndGone): return finish(.answerUnused)
    case (_, .frontEndGone): return finish(.frontEndGone)
    case (.signing(let left), .frontEndThere):
      step = .signing(left: left)
      return .sign
    case (.answering, .frontEndThere):
      step = .answering
      return .sendAnswer
    // No stack may continue because the server is unreachable before the person has entered a correct value.
    case (.refusingRequest, .frontEndThere) where !standing.hasProved:
      standing.wasAsked = true
      step = .openingAny
      return .openAny
    case (.refusingRequest, .frontEndThere): return judge()
    case (.refusingAnswer(let refusal), .frontEndThere):
      hear(refusal)
      request = .refused(refusal)
      return judge()
    default: return nil
    }
  }

  private mutating func answered(_ event: LoginEvent) -> LoginAction? {
    switch (step, event, request) {
    case (.signing(let left), .signed, _): return look(before: left > 1 ? .signing(left: left - 1) : .answering)
    case (.signing, .refused(let refusal), _), (.answering, .refused(let refusal), _):
      return look(before: .refusingAnswer(refusal))
    case (.answering, .furtherRequest, _):
      guard retries.takeFurther() else { return nil }
      request = .further
      return answer()
    case (.answering, .accepted(let accepted), .used(let challenge)) where accepted == challenge:
      step = .believing
      return .believe
    case (.believing, .believed, _): return finish(.accepted)
    default: return nil
    }
  }

  // MARK: The end

  private mutating func judge() -> LoginAction {
    step = .judging
    return .judgeRefusal
  }

  private mutating func judged(_ event: LoginEvent) -> LoginAction? {
    switch (step, event) {
    case (.judging, .judged(.stateIsOlder)): return finish(.stateIsOlder)
    case (.judging, .judged(let judgement)):
      if retries.takeAttempt(after: judgement) { return restart() }
      guard case .refused(let refusal) = request else { return nil }
      return refuse(refusal)
    case (.judgingLastYes, .lastYesHolds): return finish(.acceptedOffline)
    default: return nil
    }
  }

  /// The refusal decides, unless the server was not reached and its last success may decide.
  private mutating func refuse(_ refusal: LoginRefusal) -> LoginAction {
    guard refusal == .silence, mayDoWithoutServer, standing.hasProved else { return finish(.refused) }
    step = .judgingLastYes
    return .judgeLastYes
  }

  private mutating func finish(_ outcome: LoginEnd.Outcome) -> LoginAction {
    let end = LoginEnd(outcome: outcome, standing: standing)
    // Every run ends in the same state, so that no later event can use what happened before.
    self = LoginMachine(LoginRules())
    step = .ended
    return .finish(end)
  }
}

/// An event in a login.
///
/// Each event answers the last ``LoginAction``. One that does not fit it ends the login.
enum LoginEvent: Hashable {
  /// The login begins.
  case began
  /// The question for a request was sent.
  case questionSent
  /// A request that can be answered arrived.
  case request(challenge: String, hasText: Bool)
  /// Something else came instead of a request or a success, or nothing came.
  case refused(LoginRefusal)
  /// The answer to an earlier question was read and dropped.
  case dropped(isReached: Bool)
  /// The text of the request is shown with the prompt.
  case textTaken
  /// The front end continues.
  case resumed
  /// The person must choose, and the choice needs the server's policy: nobody has been asked yet.
  case leftToChoose
  /// A value was entered, counted as an attempt, and found to be right.
  case verified
  /// Everything that the request needs was verified; this many signatures are to be made.
  case wayOpen(signatures: Int)
  /// The person chose to register anew instead of logging in.
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
  /// The server's success was checked as root's configuration requires.
  case believed
  /// Whether a refusal allows another attempt.
  case judged(RefusalJudgement)
  /// The server's last success is still valid.
  case lastYesHolds
  /// The action failed: the entry was wrong, locked or cancelled, the time is over, or something failed here.
  case stopped
}

/// The next thing to do in a login.
///
/// Each action but ``finish(_:)`` is answered with a ``LoginEvent``.
enum LoginAction: Hashable {
  /// Ask the server for a request, and do not wait for it. A text that the server adds is accepted with the first question only.
  case sendQuestion(isFirst: Bool)
  /// Wait for the request.
  case receiveRequest
  /// Wait for the answer to the last question, and drop it.
  case dropAnswer
  /// Show the request's text with every later prompt.
  case takeText
  /// Say that everything is ready, and wait until the front end continues.
  case awaitResume
  /// Let the person verify the authenticator that is asked for without a choice, if there is one.
  case openFirst
  /// Let the person verify any authenticator.
  case openAny
  /// Let the person verify the authenticators that the request needs and that are not open yet.
  case openWay
  /// Register anew. This ends the login without success, whatever its result.
  case registerAnew
  /// Report whether the request is too old.
  case measureAge
  /// Report whether the front end is still connected.
  case checkFrontEnd
  /// Make one signature.
  case sign
  /// Send the signatures, and wait for the server's verdict.
  case sendAnswer
  /// Check the server's success as root's configuration requires.
  case believe
  /// Report whether the refusal allows another attempt.
  case judgeRefusal
  /// Report whether the server's last success is still valid.
  case judgeLastYes
  /// End the login.
  case finish(LoginEnd)
}

/// The rules of a login that are fixed before it begins.
struct LoginRules: Hashable {
  /// Whether the person approves a text that waits at the server, with a code that is valid for one request.
  var isApproval = false
  /// Whether the front end gets a message when the request has come, and says when to continue.
  var isDivided = false
  /// Whether a text that the server adds by itself is shown and confirmed.
  var takesServersText = false
  /// Whether root allows this login without the server for a limited time.
  var allowsOffline = false
  /// Whether a refusal of the server must not be shown before a value was entered: it could reveal which names exist.
  var hidesState = false
  /// How many authenticators the account has.
  var authenticators = 1

  /// Whether the login asks the person for a value before it waits for the server.
  var asksPersonFirst: Bool { LoginPreparation.all(under: self).first == .firstValue }
}

/// The steps of a login before the request is answered.
enum LoginPreparation: Hashable {
  /// The text of an approval must have come before the person is asked.
  case approvalText
  /// A text that the server may add must have come.
  case serversText
  /// The request must have come before the pause, so that there is no waiting after it.
  case request
  /// The front end says when to continue.
  case pause
  /// The value that is asked for without a choice.
  case firstValue

  /// Whether this step waits for the request.
  var needsRequest: Bool { self != .pause && self != .firstValue }

  /// The steps of this login, in their order.
  static func all(under rules: LoginRules) -> [LoginPreparation] {
    if rules.isApproval { return [.approvalText, .firstValue] }
    let text: [LoginPreparation] = rules.takesServersText ? [.serversText] : []
    let pause: [LoginPreparation] = rules.isDivided ? [.request, .pause] : []
    return text + pause + [.firstValue]
  }
}

/// What has happened in a login so far, as far as its end depends on it.
struct LoginStanding: Hashable {
  /// Whether the person was asked for anything.
  var wasAsked = false
  /// Whether a value was verified.
  var hasProved = false
  /// Whether the server, or something at its address, was reached.
  var isReached = false
  /// Whether a request from the server was received.
  var hasRequest = false
  /// Whether the server has refused anything.
  var isRefused = false

  /// Results that say nothing about the server's answer.
  private static let personsOwn: Set<FidoResult> = [
    .wrongValue, .locked, .lockedForGood, .userCancel, .userFallback, .applicationCancel, .systemCancel,
    .notInteractive, .resetChosen, .noAnswer,
  ]

  /// Whether an end with this result means that the server answered, and the answer was not a success.
  ///
  /// A request that was received and led to no success counts too, unless the person or the machine has ended the login.
  func isServersNo(_ result: FidoResult) -> Bool { isRefused || hasRequest && !Self.personsOwn.contains(result) }

  /// Adds to an ending what had happened before it.
  ///
  /// - Parameter hasProved: whether a value was verified. Without that, no stack continues because the server is unreachable.
  func marked(_ ending: Ending, hasProved: Bool) -> Ending {
    ending.after(
      isReached: isReached, isRefused: isServersNo(ending.result), hasProved: hasProved, wasAsked: wasAsked)
  }

  /// Adds what a refusal says about the server.
  mutating func hear(_ refusal: LoginRefusal) {
    isReached = isReached || refusal == .no || refusal == .brokenOff
    isRefused = isRefused || refusal == .no
  }
}

/// What came instead of a request or a success, as far as the order of a login's steps depends on it.
enum LoginRefusal: Hashable, CaseIterable {
  /// The server answered, and the answer was not a success.
  case no
  /// No server was reached.
  case silence
  /// The server, or something at its address, was reached, but gave no valid answer.
  case brokenOff
  /// The cause is on this machine, and no server was reached.
  case local
}

/// How a login ended, and what had happened before.
struct LoginEnd: Hashable {
  /// The possible outcomes.
  enum Outcome: Hashable {
    /// The person was verified here, and the server accepted the answer.
    case accepted
    /// The person was verified here, and the server's last success is still valid.
    case acceptedOffline
    /// The server refused, or was not reached.
    case refused
    /// There is no request, and the front end must know of one before anybody is asked.
    case noRequest
    /// An older copy of this machine's state was restored.
    case stateIsOlder
    /// The last action failed.
    case stopped
    /// The front end went away: nothing more was signed or sent.
    case frontEndGone
    /// The front end went away after an answer was sent.
    case answerUnused
    /// An event came that does not fit the last action.
    case outOfTurn
  }

  let outcome: Outcome
  /// What had happened before the end.
  let standing: LoginStanding
}

/// How often a login may ask the server again, and for what.
struct LoginRetries: Hashable {
  /// How often a login is tried again because others of the same person were faster.
  ///
  /// Several may run at the same time, for example from pssh.
  static let races = 3
  /// How many further requests one question may lead to; the flow with the server has the same limit.
  static let furtherRequests = 4

  private var mayRenew: Bool
  private var mayReplaceExpired: Bool
  private var racesLeft: Int
  private var furtherLeft: Int

  /// The code of an approval is valid for one request, so no further request is asked for.
  init(isApproval: Bool) {
    (mayRenew, mayReplaceExpired) = (!isApproval, !isApproval)
    racesLeft = isApproval ? 0 : Self.races
    furtherLeft = Self.furtherRequests
  }

  /// Whether the age of the request matters.
  ///
  /// A further request is new. Any other request is dropped because of its age only once, so that a login with a slow server can
  /// end.
  var countsAge: Bool { mayRenew && furtherLeft == Self.furtherRequests }

  /// Notes that a request was dropped because of its age.
  mutating func renew() { mayRenew = false }

  /// Begins with another question.
  mutating func beginQuestion() { furtherLeft = Self.furtherRequests }

  /// Takes one further request, if another is allowed.
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

/// Whether a refusal allows another attempt.
enum RefusalJudgement: Hashable, CaseIterable {
  /// The server no longer knows the challenge: it was used, or is too old.
  case expired
  /// Another login of the same person was faster.
  case overtaken
  /// The server has seen signatures that this machine's state does not contain: an older copy of the state was restored.
  case stateIsOlder
  /// Another attempt would not help.
  case final
}
