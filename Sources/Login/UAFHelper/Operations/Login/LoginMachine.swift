import FidoResults

/// Decides the order of the steps in a login, and does nothing else.
///
/// It has no input or output, and no access to time, account or network. ``LoginDriver`` performs each action, and reports its
/// outcome as one event. The rules:
///
/// - The person enters a correct secret before anything is signed, and before anything is said about the server's answer. An
///   approval is an exception: its text comes with the request, and must be shown first.
/// - A divided login pauses after it has received the request. If it gets no request, it ends before the first prompt, and does
///   not say why.
/// - If a request is too old, or the server no longer knows it, another one is fetched, once for each reason. If other logins
///   of the same person were faster, the login is tried again three times.
/// - Before each signature, before the response, and before a refusal is reported, the front end must still be connected.
/// - The server's success is accepted only if it is for the challenge that was signed, and only after it was checked against
///   the demands of root's configuration.
/// - An event that does not fit the last action ends the login without success.
struct LoginMachine: Hashable {
  private var step = Step.ready
  private var request = Request.none
  private var preparations: [LoginPreparation]
  private var standing = LoginStanding()
  /// Whether the server's last success may decide instead of the server: root allows it, and the server has not been reached.
  private var mayDoWithoutServer: Bool
  private let hidesState: Bool
  private var retries: LoginRetries
  /// How many authenticators the account has, so how many signatures a response can need.
  private var authenticators: Int

  /// The action that was last returned.
  private enum Step: Hashable {
    case ready, sending, receiving, dropping
    case takingText, pausing, openingFirst, openingAny, openingWay, registeringAnew
    /// Measuring the age of the request. The payload is the number of signatures that follow; nil before the person has entered
    /// a secret for the request.
    case measuring(signatures: Int?)
    case lookingForFrontEnd(before: GuardedStep)
    case signing(left: Int)
    case answering, believing, judging
    /// Checking whether the server's last success is still valid. If it is not, the refusal decides.
    case judgingLastYes
    case ended
  }

  /// A step that is done only while the front end is connected.
  private enum GuardedStep: Hashable {
    case signing(left: Int)
    case answering
    /// Reporting why there is no request.
    case refusingRequest(LoginRefusal)
    /// Reporting the server's refusal of the response.
    case refusingAnswer(LoginRefusal)
  }

  /// The state of the server's request.
  private enum Request: Hashable {
    case none
    /// The server was asked for it, but it has not been received yet.
    case pending
    case here(challenge: String, hasText: Bool)
    /// The refusal that came instead is kept until the person has entered a correct secret.
    case refused(LoginRefusal)
    case used(challenge: String)
    /// A further request came with the verdict on an earlier response, and has not been read yet.
    case further
  }

  /// Makes the state machine of one login.
  init(_ rules: LoginRules) {
    preparations = LoginPreparation.all(under: rules)
    retries = LoginRetries(isApproval: rules.isApproval)
    authenticators = rules.authenticators
    hidesState = rules.hidesState
    mayDoWithoutServer = rules.allowsOffline && !rules.isApproval
  }

  /// Processes an event, and returns the next action.
  mutating func received(_ event: LoginEvent) -> LoginAction {
    if event == .stopped, step != .ready, step != .ended { return finish(.stopped) }
    return follow(event) ?? finish(.outOfTurn)
  }

  /// - Returns: nil if the event does not fit the last action.
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

  // MARK: Messages of the server

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

  /// Discards the request and asks for another one.
  private mutating func restart() -> LoginAction {
    // The pending answer is read first, because it would otherwise be taken for the answer to the next HTTP request.
    guard request == .pending else { return ask(isFirst: false) }
    step = .dropping
    return .dropAnswer
  }

  // MARK: Before the response

  private mutating func prepare() -> LoginAction? {
    guard let preparation = preparations.first else { return attempt() }
    if preparation.needsRequest, request == .pending { return receive() }
    preparations.removeFirst()
    switch (preparation, request) {
    case (.approvalText, .here(_, hasText: true)), (.serversText, .here(_, hasText: true)):
      step = .takingText
      return .takeText
    case (.approvalText, .refused(let refusal)): return refuse(refusal)
    // If there is no text, nobody is prompted to approve it.
    case (.approvalText, _): return nil
    case (.request, .refused(let refusal)) where !mayPause(after: refusal): return finish(.noRequest)
    // A refusal is kept for later: what the server says about an account is only shown to a person who has entered the
    // account's secret.
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

  /// Whether a divided login continues without a request from the server.
  ///
  /// It does if the server's last success may replace the request. It also does if registrations are hidden: otherwise, a
  /// refusal of a server without decoys would show which names it has. But if the server is unreachable, that shows nothing,
  /// because it is unreachable for every name.
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
    // Setting a new secret proves nothing, so only the end of the login follows.
    case (.openingAny, .registerAnewChosen), (.openingWay, .registerAnewChosen):
      step = .registeringAnew
      return .registerAnew
    case (.openingWay, .wayOpen(let signatures)) where signatures > 0 && signatures <= authenticators:
      standing.hasProved = true
      // A further prompt may have taken a long time, so the age is measured again.
      return retries.countsAge ? measure(signatures) : look(before: .signing(left: signatures))
    default: return nil
    }
  }

  // MARK: The response

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
    // No PAM stack may fall back because the server is unreachable before the person has entered a correct secret. So the
    // person is prompted first.
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

  /// Ends the login with the refusal, unless the server was not reached and its last success may decide.
  private mutating func refuse(_ refusal: LoginRefusal) -> LoginAction {
    guard refusal == .silence, mayDoWithoutServer, standing.hasProved else { return finish(.refused) }
    step = .judgingLastYes
    return .judgeLastYes
  }

  private mutating func finish(_ outcome: LoginEnd.Outcome) -> LoginAction {
    let end = LoginEnd(outcome: outcome, standing: standing)
    // Every run ends in the same state, so that no later event can make use of what happened before.
    self = LoginMachine(LoginRules())
    step = .ended
    return .finish(end)
  }
}

/// An event in a login.
///
/// Each event reports the outcome of the last ``LoginAction``. If it does not fit that action, the login ends.
enum LoginEvent: Hashable {
  /// The login begins.
  case began
  /// The server was asked for a request.
  case questionSent
  /// A request arrived that the account's authenticators can satisfy.
  case request(challenge: String, hasText: Bool)
  /// Something other than a request or a success arrived, or nothing arrived.
  case refused(LoginRefusal)
  /// The server's pending answer was read and discarded.
  case dropped(isReached: Bool)
  /// The text of the request will be shown with the prompts.
  case textTaken
  /// The front end has sent *resume*.
  case resumed
  /// The person must choose an authenticator, and the choice depends on the server's policy. So no prompt has been shown yet.
  case leftToChoose
  /// A secret was entered, counted as an attempt, and found to be right.
  case verified
  /// The person has verified every authenticator that the request needs. This many signatures are to be made.
  case wayOpen(signatures: Int)
  /// The person chose to register anew instead of logging in.
  case registerAnewChosen
  /// The age was measured. `isOld`: whether the request is too old to be used.
  case age(isOld: Bool)
  /// The front end is still connected.
  case frontEndThere
  /// The front end is gone, so nobody waits for the result.
  case frontEndGone
  /// One signature was made.
  case signed
  /// The server demands a further authentication before it decides.
  case furtherRequest
  /// The server accepts the response to this challenge.
  case accepted(challenge: String)
  /// The server's success meets the demands of root's configuration.
  case believed
  /// The server's refusal was judged: whether it allows another attempt.
  case judged(RefusalJudgement)
  /// The server's last success is still valid.
  case lastYesHolds
  /// The action failed: the entry was wrong, locked or cancelled, the time was over, or something failed here.
  case stopped
}

/// The next thing to do in a login.
///
/// The outcome of each action except ``finish(_:)`` is reported as a ``LoginEvent``.
enum LoginAction: Hashable {
  /// Ask the server for a request, without waiting for it. The server may add a text only if this is the first time.
  case sendQuestion(isFirst: Bool)
  /// Wait for the request.
  case receiveRequest
  /// Wait for the server's pending answer, and discard it.
  case dropAnswer
  /// Show the request's text with every later prompt.
  case takeText
  /// Send *ready*, and wait until the front end sends *resume*.
  case awaitResume
  /// Let the person verify the authenticator about which there is no choice, if there is one.
  case openFirst
  /// Let the person verify any authenticator.
  case openAny
  /// Let the person verify the authenticators that the request needs and that are not open yet.
  case openWay
  /// Register anew. The login then ends without success, even if the registration succeeds.
  case registerAnew
  /// Measure the age of the request.
  case measureAge
  /// Report whether the front end is still connected.
  case checkFrontEnd
  /// Make one signature.
  case sign
  /// Send the signatures, and wait for the server's verdict.
  case sendAnswer
  /// Check whether the server's success meets the demands of root's configuration.
  case believe
  /// Judge whether the server's refusal allows another attempt.
  case judgeRefusal
  /// Check whether the server's last success is still valid.
  case judgeLastYes
  /// End the login.
  case finish(LoginEnd)
}

/// The rules of a login that are fixed before it begins.
struct LoginRules: Hashable {
  /// Whether the person approves a text that waits at the server, with a code that is valid for one request.
  var isApproval = false
  /// Whether the front end is told when the request has arrived, and then decides when the login continues.
  var isDivided = false
  /// Whether a text that the server adds on its own initiative is shown and confirmed.
  var takesServersText = false
  /// Whether root allows logins like this one without the server, for a limited time.
  var allowsOffline = false
  /// Whether a refusal of the server must not be shown before a secret was entered, because it could reveal which names exist.
  var hidesState = false
  /// How many authenticators the account has.
  var authenticators = 1

  /// Whether the first prompt is shown before the login waits for the server.
  var asksPersonFirst: Bool { LoginPreparation.all(under: self).first == .firstValue }
}

/// The steps of a login before the response to the request.
enum LoginPreparation: Hashable {
  /// The text of an approval must arrive before the first prompt.
  case approvalText
  /// A request in which the server may add a text must arrive before the first prompt.
  case serversText
  /// The request must arrive before the pause, so that the person does not have to wait after the pause.
  case request
  /// The login pauses until the front end continues it.
  case pause
  /// The person is prompted for the secret about which there is no choice.
  case firstValue

  /// Whether the request must have arrived before this step is complete.
  var needsRequest: Bool { self != .pause && self != .firstValue }

  /// The steps of this login, in order.
  static func all(under rules: LoginRules) -> [LoginPreparation] {
    if rules.isApproval { return [.approvalText, .firstValue] }
    let text: [LoginPreparation] = rules.takesServersText ? [.serversText] : []
    let pause: [LoginPreparation] = rules.isDivided ? [.request, .pause] : []
    return text + pause + [.firstValue]
  }
}

/// What has happened in a login so far, as far as its ending depends on it.
struct LoginStanding: Hashable {
  /// Whether a prompt was shown to the person.
  var wasAsked = false
  /// Whether a correct secret was entered.
  var hasProved = false
  /// Whether the server, or another host at its address, was reached.
  var isReached = false
  /// Whether a request from the server was received.
  var hasRequest = false
  /// Whether the server has refused anything.
  var isRefused = false

  /// Results that depend on the person or the machine, not on the server's answer.
  private static let personsOwn: Set<FidoResult> = [
    .wrongValue, .locked, .lockedForGood, .userCancel, .userFallback, .applicationCancel, .systemCancel,
    .notInteractive, .resetChosen, .noAnswer,
  ]

  /// Whether an end with this result means that the server answered, and the answer was not a success.
  ///
  /// It also counts if a request arrived but the login did not succeed, unless it was the person or the machine that ended the
  /// login.
  func isServersNo(_ result: FidoResult) -> Bool { isRefused || hasRequest && !Self.personsOwn.contains(result) }

  /// Adds to an ending what had happened before it.
  ///
  /// - Parameter hasProved: whether a correct secret was entered. Only then may a PAM stack fall back because the server is
  ///   unreachable.
  func marked(_ ending: Ending, hasProved: Bool) -> Ending {
    ending.after(
      isReached: isReached, isRefused: isServersNo(ending.result), hasProved: hasProved, wasAsked: wasAsked)
  }

  /// Records what a refusal tells about the server.
  mutating func hear(_ refusal: LoginRefusal) {
    isReached = isReached || refusal == .no || refusal == .brokenOff
    isRefused = isRefused || refusal == .no
  }
}

/// What arrived instead of a request or a success, as far as the order of a login's steps depends on it.
enum LoginRefusal: Hashable, CaseIterable {
  /// The server answered, and the answer was not a success.
  case no
  /// No server was reached.
  case silence
  /// The server, or another host at its address, was reached, but gave no valid answer.
  case brokenOff
  /// The cause is on this machine, and no server was reached.
  case local
}

/// How a login ended, and what had happened before that.
struct LoginEnd: Hashable {
  /// The possible outcomes.
  enum Outcome: Hashable {
    /// The person was verified here, and the server accepted the answer.
    case accepted
    /// The person was verified here, and the server's last success is still valid.
    case acceptedOffline
    /// The server refused, or was not reached.
    case refused
    /// There is no request from the server, and the login is not allowed to start its prompts without one.
    case noRequest
    /// An older copy of this machine's state was restored.
    case stateIsOlder
    /// The last action failed.
    case stopped
    /// The front end was gone; nothing more was signed or sent.
    case frontEndGone
    /// The front end was gone after the response had been sent.
    case answerUnused
    /// An event did not fit the last action.
    case outOfTurn
  }

  let outcome: Outcome
  /// What had happened before the end.
  let standing: LoginStanding
}

/// How often, and for what reasons, a login may still ask the server again.
struct LoginRetries: Hashable {
  /// How often a login is tried again because other logins of the same person were faster.
  ///
  /// Several logins may run at the same time, for example with pssh.
  static let races = 3
  /// How many further requests are followed before the server must be asked anew; ``AuthenticationFlow`` has the same limit.
  static let furtherRequests = 4

  private var mayRenew: Bool
  private var mayReplaceExpired: Bool
  private var racesLeft: Int
  private var furtherLeft: Int

  /// The code of an approval is valid for one request, so the server is not asked for another request.
  init(isApproval: Bool) {
    (mayRenew, mayReplaceExpired) = (!isApproval, !isApproval)
    racesLeft = isApproval ? 0 : Self.races
    furtherLeft = Self.furtherRequests
  }

  /// Whether the age of the request matters.
  ///
  /// It does not matter for a further request, which is new. Any other request is replaced because of its age only once, so
  /// that a login at a slow server comes to an end.
  var countsAge: Bool { mayRenew && furtherLeft == Self.furtherRequests }

  /// Records that a request was replaced because of its age.
  mutating func renew() { mayRenew = false }

  /// Starts to count further requests again, because the server was asked for another request.
  mutating func beginQuestion() { furtherLeft = Self.furtherRequests }

  /// Counts one further request; returns false if no more are allowed.
  mutating func takeFurther() -> Bool {
    guard furtherLeft > 0 else { return false }
    furtherLeft -= 1
    return true
  }

  /// Counts one more attempt after a refusal; returns false if the refusal does not allow one, or no more are allowed.
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
  /// The server has seen more signatures than this machine's state has counted: an older copy of the state was restored.
  case stateIsOlder
  /// Another attempt would not help.
  case final
}
