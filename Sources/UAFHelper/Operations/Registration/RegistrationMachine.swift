/// The order of steps in a registration, and nothing else.
///
/// A value without input or output, time, account or network. ``RegistrationDriver`` does each action, and reports its outcome
/// with one event. The rules:
///
/// - A value that is set is replaced only after the server has judged the code. A new value is asked for only if the code or
///   proof may set one.
/// - Keys are made once every authenticator was verified or has a new value, and only while the front end is there. Their KeyIDs
///   are stored before they are sent: from then on the server may have keys that this machine loses.
/// - Where a proof allows the keys, each key that has signed it authorises them before they are sent.
/// - The server's success counts if it is for the challenge that was answered and was checked as root demands. Nothing is kept
///   before.
/// - An event that does not fit the last action ends the registration without success.
struct RegistrationMachine: Hashable {
  private var step = Step.ready
  /// Whether values that are set are replaced without asking for them.
  private var replacesValues: Bool
  /// How many authenticators may take part, and how many do once that is known.
  private var authenticators: Int
  /// How many registered keys have to authorise the new ones.
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
    /// A trial has the server judge the code first: the person may take longer to choose a value than the challenge is valid.
    case asking(isTrial: Bool)
    case choosingWay, openingValue, settingValue
    case makingKeys, notingKeys, sendingKeys
    case authorizing(next: Int)
    case receivingFurther, findingWay
    case lookingForFrontEnd(before: Deed)
    case signing(left: Int)
    case answering, believing, keeping, ended
  }

  /// What is done only while the front end is there.
  private enum Deed: Hashable {
    case makingKeys
    case authorizing(next: Int)
    case signing(left: Int)
    case answering
  }

  /// Makes the machine of one registration.
  ///
  /// - Parameters:
  ///   - authenticators: how many may take part; all of them do where values are replaced.
  ///   - replacesValues: whether values that are set are replaced without asking for them.
  ///   - authorizations: how many registered keys have to authorise the new ones; 0 without a proof.
  init(authenticators: Int, replacesValues: Bool, authorizations: Int = 0) {
    self.authorizations = authorizations
    self.authenticators = authenticators
    self.replacesValues = replacesValues
  }

  /// Takes what happened, and says what to do next.
  mutating func received(_ event: RegistrationEvent) -> RegistrationAction {
    if step != .ready, step != .ended {
      if event == .stopped { return finish(.stopped) }
      if case .lookingForFrontEnd = step, event == .frontEndGone { return finish(.frontEndGone) }
    }
    let action =
      switch step {
      case .ready, .checkingWord, .asking, .choosingWay: requested(event)
      case .openingValue, .settingValue: opened(event)
      case .lookingForFrontEnd(let deed): event == .frontEndThere ? allowed(deed) : nil
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

  private mutating func look(before deed: Deed) -> RegistrationAction {
    go(.lookingForFrontEnd(before: deed), .checkFrontEnd)
  }

  private mutating func allowed(_ deed: Deed) -> RegistrationAction {
    switch deed {
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
