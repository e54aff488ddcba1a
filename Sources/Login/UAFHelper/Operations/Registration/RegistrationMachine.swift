import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// The order of the steps in a registration, and nothing else.
///
/// A value without input or output, time, account or network. ``RegistrationDriver`` does each action, and reports its outcome
/// with one event. The rules:
///
/// - An existing value is replaced only after the server has checked the code. A new value is asked for only if the code or
///   proof may set one.
/// - Keys are made once every authenticator is verified or has a new value, and only while the front end is connected. Their
///   KeyIDs are stored before they are sent: from then on the server may have keys that this machine loses.
/// - If a proof allows the new keys, each key that signed the proof authorises them before they are sent.
/// - The server's success is accepted only if it is for the challenge that was answered, and after it was checked as root's
///   configuration requires. Nothing is stored
///   before that.
/// - An event that does not fit the last action ends the registration without success.
struct RegistrationMachine: Hashable {
  private var step = Step.ready
  /// Whether existing values are replaced without asking for them.
  private var replacesValues: Bool
  /// How many authenticators may take part; once it is known, how many do.
  private var authenticators: Int
  /// How many registered keys must authorise the new ones.
  private let authorizations: Int
  /// How many of them are neither verified nor have a new value.
  private var closed = 0
  /// The challenge that is answered.
  private var challenge = ""
  private var furtherLeft = LoginRetries.furtherRequests

  /// The action that was asked for.
  private enum Step: Hashable {
    case ready
    case checkingWord(isForTrial: Bool)
    /// A trial lets the server check the code first: the person may take longer to choose a value than the challenge is valid.
    case asking(isTrial: Bool)
    case choosingWay, openingValue, settingValue
    case makingKeys, notingKeys, sendingKeys
    case authorizing(next: Int)
    case receivingFurther, findingWay
    case lookingForFrontEnd(before: GuardedStep)
    case signing(left: Int)
    case answering, believing, keeping, ended
  }

  /// A step that is done only while the front end is connected.
  private enum GuardedStep: Hashable {
    case makingKeys
    case authorizing(next: Int)
    case signing(left: Int)
    case answering
  }

  /// Makes the machine of one registration.
  ///
  /// - Parameters:
  ///   - authenticators: how many may take part; all of them do if values are replaced.
  ///   - replacesValues: whether existing values are replaced without asking for them.
  ///   - authorizations: how many registered keys must authorise the new ones; 0 without a proof.
  init(authenticators: Int, replacesValues: Bool, authorizations: Int = 0) {
    self.authorizations = authorizations
    self.authenticators = authenticators
    self.replacesValues = replacesValues
  }

  /// Processes what happened, and says what to do next.
  mutating func received(_ event: RegistrationEvent) -> RegistrationAction {
    if step != .ready, step != .ended {
      if event == .stopped { return finish(.stopped) }
      if case .lookingForFrontEnd = step, event == .frontEndGone { return finish(.frontEndGone) }
    }
    let action =
      switch step {
      case .ready, .checkingWord, .asking, .choosingWay: requested(event)
      case .openingValue, .settingValue: opened(event)
      case .lookingForFrontEnd(let guarded): event == .frontEndThere ? allowed(guarded) : nil
      case .makingKeys, .authorizing, .notingKeys, .sendingKeys, .receivingFurther, .findingWay, .signing, .answering,
        .believing,
        .keeping:
        answered(event)
      case .ended: RegistrationAction?.none
      }
    return action ?? finish(.outOfTurn)
  }

  // MARK: The request and the values

  private mutating func requested(_ event: RegistrationEvent) -> RegistrationAction? {
    switch (step, event) {
    case (.ready, .began): replacesValues ? go(.checkingWord(isForTrial: true), .checkWord) : ask(isTrial: false)
    case (.checkingWord(isForTrial: true), .wordAllowed): ask(isTrial: true)
    case (.checkingWord(isForTrial: false), .wordAllowed): go(.settingValue, .setValue)
    case (.asking(isTrial: true), .request), (.asking(isTrial: true), .refused(isCodeGood: true)):
      open(authenticators)
    case (.asking(isTrial: false), .request(let challenge)): take(challenge)
    case (.asking, .refused): finish(.refused)
    case (.choosingWay, .wayChosen(let count)) where count > 0 && count <= authenticators: open(count)
    default: nil
    }
  }

  private mutating func ask(isTrial: Bool) -> RegistrationAction { go(.asking(isTrial: isTrial), .askRequest) }

  private mutating func take(_ challenge: String) -> RegistrationAction {
    self.challenge = challenge
    return replacesValues ? go(.makingKeys, .makeKeys) : go(.choosingWay, .chooseWay)
  }

  private mutating func open(_ count: Int) -> RegistrationAction {
    (authenticators, closed) = (count, count)
    return openNext()
  }

  private mutating func openNext() -> RegistrationAction {
    closed > 0 ? go(.openingValue, .openValue) : look(before: .makingKeys)
  }

  private mutating func opened(_ event: RegistrationEvent) -> RegistrationAction? {
    switch (step, event) {
    case (.openingValue, .verified) where !replacesValues, (.settingValue, .valueSet):
      closed -= 1
      return openNext()
    case (.openingValue, .valueMissing): return go(.checkingWord(isForTrial: false), .checkWord)
    default: return nil
    }
  }

  // MARK: The keys

  private mutating func look(before guarded: GuardedStep) -> RegistrationAction {
    go(.lookingForFrontEnd(before: guarded), .checkFrontEnd)
  }

  private mutating func allowed(_ guarded: GuardedStep) -> RegistrationAction {
    switch guarded {
    case .makingKeys: replacesValues ? ask(isTrial: false) : go(.makingKeys, .makeKeys)
    case .authorizing(let next): go(.authorizing(next: next), .authorize(next))
    case .signing(let left): go(.signing(left: left), .sign)
    case .answering: go(.answering, .sendAnswer)
    }
  }

  private mutating func answered(_ event: RegistrationEvent) -> RegistrationAction? {
    switch (step, event) {
    case (.makingKeys, .keysMade): authorize(0)
    case (.authorizing(let next), .signed): authorize(next + 1)
    case (.notingKeys, .keysNoted): go(.sendingKeys, .sendKeys)
    case (.receivingFurther, .request(let challenge)): follow(challenge)
    case (.findingWay, .wayChosen(let count)) where count > 0 && count <= authenticators:
      look(before: .signing(left: count))
    case (.signing(let left), .signed): look(before: left > 1 ? .signing(left: left - 1) : .answering)
    case (.sendingKeys, .furtherRequest) where furtherLeft > 0, (.answering, .furtherRequest) where furtherLeft > 0:
      readFurther()
    case (.sendingKeys, .accepted(challenge)), (.answering, .accepted(challenge)): go(.believing, .believe)
    case (.believing, .believed): go(.keeping, .keep)
    case (.keeping, .kept): finish(.kept)
    case (.makingKeys, .refused), (.authorizing, .refused), (.sendingKeys, .refused), (.receivingFurther, .refused),
      (.signing, .refused),
      (.answering, .refused):
      finish(.refused)
    default: nil
    }
  }

  private mutating func authorize(_ next: Int) -> RegistrationAction {
    next < authorizations ? look(before: .authorizing(next: next)) : go(.notingKeys, .noteKeys)
  }

  private mutating func readFurther() -> RegistrationAction {
    furtherLeft -= 1
    return go(.receivingFurther, .receiveFurther)
  }

  private mutating func follow(_ challenge: String) -> RegistrationAction {
    self.challenge = challenge
    return go(.findingWay, .findWay)
  }

  private mutating func go(_ step: Step, _ action: RegistrationAction) -> RegistrationAction {
    self.step = step
    return action
  }

  private mutating func finish(_ outcome: RegistrationAction.Outcome) -> RegistrationAction {
    // Every run ends in the same state, so that no later event can use what happened before.
    self = RegistrationMachine(authenticators: 0, replacesValues: false)
    step = .ended
    return .finish(outcome)
  }
}

/// An event in a registration.
///
/// Each event answers the last ``RegistrationAction``. One that does not fit it ends the registration.
enum RegistrationEvent: Hashable {
  /// The registration begins.
  case began
  /// The code or proof of this registration may set a new value.
  case wordAllowed
  /// A request that can be answered arrived.
  case request(challenge: String)
  /// Something else came instead of a request or a success, or nothing came.
  ///
  /// - Parameter isCodeGood: whether the server accepted the code, and only an authenticator is missing.
  case refused(isCodeGood: Bool)
  /// This many authenticators take part.
  case wayChosen(authenticators: Int)
  /// The authenticator has a value: it was entered, counted as an attempt, and found to be right.
  case verified
  /// The authenticator has no value that should be kept.
  case valueMissing
  /// A new value was entered twice.
  case valueSet
  /// The front end is still there.
  case frontEndThere
  /// The front end has gone away: nobody waits for the result.
  case frontEndGone
  /// A new key was made for each authenticator.
  case keysMade
  /// The fact that the server may know these keys is stored.
  case keysNoted
  /// One signature was made.
  case signed
  /// The server wants a further signature before it decides.
  case furtherRequest
  /// The server accepts the answer to this challenge.
  case accepted(challenge: String)
  /// The server's success was checked as root's configuration requires.
  case believed
  /// The keys and values are in the account's file.
  case kept
  /// The action failed: the entry was wrong, locked or cancelled, the time is over, or something failed here.
  case stopped
}

/// The next thing to do in a registration.
///
/// Each action but ``finish(_:)`` is answered with a ``RegistrationEvent``.
enum RegistrationAction: Hashable {
  /// The possible outcomes.
  enum Outcome: Hashable {
    /// The server has accepted the keys, and they are stored.
    case kept
    /// The server refused, or was not reached.
    case refused
    /// The last action failed.
    case stopped
    /// The front end went away: nothing more was signed or sent.
    case frontEndGone
    /// An event came that does not fit the last action.
    case outOfTurn
  }

  /// Decide whether the code or proof of this registration may set a new value.
  case checkWord
  /// Ask the server for a request, and wait for it.
  case askRequest
  /// Let the person choose what to register, if the request leaves a choice.
  case chooseWay
  /// Let the person verify the next authenticator, if it has a value.
  case openValue
  /// Let the person choose a new value for it.
  case setValue
  /// Report whether the front end is still connected.
  case checkFrontEnd
  /// Make a key for each authenticator.
  case makeKeys
  /// Let a registered key authorise the new ones; with its index among the keys that signed the proof.
  case authorize(Int)
  /// Store the fact that the server may know these keys.
  case noteKeys
  /// Send the keys, and wait for the server's verdict.
  case sendKeys
  /// Read the further request that came with the verdict.
  case receiveFurther
  /// Find the authenticators that sign the further request.
  case findWay
  /// Make one signature.
  case sign
  /// Send the signatures, and wait for the server's verdict.
  case sendAnswer
  /// Check the server's success as root's configuration requires.
  case believe
  /// Store the keys and values.
  case keep
  /// End the registration.
  case finish(Outcome)
}

/// What a registration does, as decided by what the account has here, whether a code was given, and which type was named.
///
/// A value without files and questions. A code proves the person. So a code for a type that is already registered replaces its
/// value, and nobody is asked for the value that was forgotten. Without a code, nothing replaces a value: a new key is then
/// sealed under the existing value.
enum RegistrationPlan: Equatable {
  /// New keys for some of these types, under a new value, or under the existing value after it was entered.
  case add(among: [AuthenticatorType])
  /// A new value and a new key for one of these, which replace the present ones.
  case replace(oneOf: [AuthenticatorType])
  /// Nothing can be registered.
  case refuse(EndCause)

  /// The types that take part.
  var types: [AuthenticatorType] {
    switch self {
    case .add(let types), .replace(let types): types
    case .refuse: []
    }
  }

  /// What the account has on this machine.
  struct Standing: Equatable {
    /// The types that root has enabled.
    var enabled: [AuthenticatorType]
    /// The enabled types with a value.
    var enrolled: [AuthenticatorType] = []
    /// The types whose keys the server has revoked or does not know, according to its last answers.
    var dead: [AuthenticatorType] = []
    /// The types whose keys the server refuses, because they are dead or their counters are behind.
    var refused: [AuthenticatorType] = []
    /// Whether the server requires a code for each account.
    var needsCode = true
  }

  init(for standing: Standing, hasCode: Bool, named: AuthenticatorType?) {
    if let named {
      self = hasCode && standing.enrolled.contains(named) ? .replace(oneOf: [named]) : .add(among: standing.enabled)
      return
    }
    let typed = standing.enrolled.filter(\.isTyped)
    if hasCode, !typed.isEmpty {
      let refused = typed.filter(standing.refused.contains)
      self = .replace(oneOf: refused.isEmpty ? typed : refused)
      return
    }
    guard standing.dead.isEmpty else {
      self = .add(among: standing.dead)
      return
    }
    let open = standing.enabled.filter { !standing.enrolled.contains($0) }
    if !open.isEmpty {
      self = .add(among: open)
    } else if standing.enabled.count == 1, !standing.needsCode || hasCode {
      self = .add(among: standing.enabled)
    } else {
      // If the value were asked for here, a person who forgot it would only use up tries.
      self = .refuse(.nothingLeftToRegister)
    }
  }
}

/// What allows a new key: an enrolment code, or a proof by another authenticator.
struct RegistrationWord {
  /// What allows the new key, for the server.
  let authority: Authority
  /// The keys that signed the proof and authorise the new ones; nil without a proof.
  var signed: SignedKeys?
  /// Whether a registered authenticator has just verified the person, here and at the server.
  var isVerifiedHere = false

  /// The permission from the token of a fresh verification, and from the keys that signed it.
  static func proof(_ token: String, by signed: SignedKeys) -> RegistrationWord {
    RegistrationWord(authority: .proof(token), signed: signed, isVerifiedHere: true)
  }

  /// Whether the server checks an enrolment code.
  var isCode: Bool {
    switch authority {
    case .code, .plainCode: true
    case .none, .proof: false
    }
  }

  /// Checks whether this permission may set a new value.
  ///
  /// For an account in use, a code is accepted only if the server checks it and signs its verdict. In the plain dialect a
  /// server may ignore the code, and a program that controls uaf-fetch may forge an unsigned answer: any text would then set a
  /// new value. An account without any value is treated as one that never registered. If root asks with uafctl, root's request
  /// is enough; a login through a host with root privileges is not a request by root.
  ///
  /// - Throws: ``Ending`` if it may not.
  func judge(
    for account: AccountFile?, _ client: ClientSettings, _ tools: RegistrationTools
  ) throws(Ending) -> RegistrationEvent {
    let isRootsWord = tools.call.caller.isRoot && !tools.call.isLogin
    guard !isVerifiedHere, let account, !isRootsWord else { return .wordAllowed }
    guard isCode else {
      guard try tools.accounts.isInUse(account) else { return .wordAllowed }
      throw Ending(
        .invalidParameter, because: .otherTypeInUse,
        log: "the account is in use, and nothing proves that it is this person's")
    }
    guard client.dialect == .fido else {
      throw Ending(.invalidParameter, because: .codesNotJudged, log: "the server cannot check an enrolment code")
    }
    guard tools.server.isWordUnsigned, try tools.accounts.isInUse(account) else { return .wordAllowed }
    throw Ending(
      .invalidParameter, because: .codesNotSigned,
      log: "there is a code for an account in use, but server.require_signed_verdict is not set")
  }
}
