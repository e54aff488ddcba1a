/// Decides the order of the steps in a registration, and does nothing else.
///
/// It has no input or output, and no access to time, account or network. ``RegistrationDriver`` performs each action, and
/// reports its outcome as one event. The rules:
///
/// - An existing secret is replaced only after the server has checked the code. The person is prompted for a new secret only if
///   the code or proof allows one to be set.
/// - Keys are made once every authenticator is verified or has a new secret, and only while the front end is connected. Their
///   KeyIDs are stored before they are sent: from then on the server may have keys that this machine loses.
/// - If a proof allows the new keys, each key that signed the proof authorises them before they are sent.
/// - The server's success is accepted only if it is for the challenge that was signed, and only after it was checked against
///   the demands of root's configuration. Nothing is stored before that.
/// - An event that does not fit the last action ends the registration without success.
struct RegistrationMachine: Hashable {
  private var step = Step.ready
  /// Whether existing secrets are replaced, so that the person need not enter them.
  private var replacesValues: Bool
  /// How many authenticators can take part.
  ///
  /// Once they are chosen, how many do take part.
  private var authenticators: Int
  /// How many registered keys must authorise the new ones.
  private let authorizations: Int
  /// How many authenticators are neither verified nor have a new secret yet.
  private var closed = 0
  /// The challenge that is being answered.
  private var challenge = ""
  private var furtherLeft = LoginRetries.furtherRequests

  /// The action that was last returned.
  private enum Step: Hashable {
    case ready
    case checkingPermit(isForTrial: Bool)
    /// In a trial, the server checks the code, and its request is then discarded: the person may take longer to choose a secret
    /// than the challenge is valid.
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

  /// Makes the state machine of one registration.
  ///
  /// - Parameters:
  ///   - authenticators: how many can take part; all of them do if secrets are replaced.
  ///   - replacesValues: whether existing secrets are replaced, so that the person need not enter them.
  ///   - authorizations: how many registered keys must authorise the new ones; 0 if no proof was made.
  init(authenticators: Int, replacesValues: Bool, authorizations: Int = 0) {
    self.authorizations = authorizations
    self.authenticators = authenticators
    self.replacesValues = replacesValues
  }

  /// Processes an event, and returns the next action.
  mutating func received(_ event: RegistrationEvent) -> RegistrationAction {
    if step != .ready, step != .ended {
      if event == .stopped { return finish(.stopped) }
      if case .lookingForFrontEnd = step, event == .frontEndGone { return finish(.frontEndGone) }
    }
    let action =
      switch step {
      case .ready, .checkingPermit, .asking, .choosingWay: requested(event)
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

  // MARK: The request and the secrets

  private mutating func requested(_ event: RegistrationEvent) -> RegistrationAction? {
    switch (step, event) {
    case (.ready, .began): replacesValues ? go(.checkingPermit(isForTrial: true), .checkPermit) : ask(isTrial: false)
    case (.checkingPermit(isForTrial: true), .permitted): ask(isTrial: true)
    case (.checkingPermit(isForTrial: false), .permitted): go(.settingValue, .setValue)
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
    case (.openingValue, .valueMissing): return go(.checkingPermit(isForTrial: false), .checkPermit)
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
    // Every run ends in the same state, so that no later event can make use of what happened before.
    self = RegistrationMachine(authenticators: 0, replacesValues: false)
    step = .ended
    return .finish(outcome)
  }
}

/// An event in a registration.
///
/// Each event reports the outcome of the last ``RegistrationAction``. If it does not fit that action, the registration ends.
enum RegistrationEvent: Hashable {
  /// The registration begins.
  case began
  /// The code or proof of this registration allows a new secret to be set.
  case permitted
  /// A request arrived that the authenticators can satisfy.
  case request(challenge: String)
  /// Something other than a request or a success arrived, or nothing arrived.
  ///
  /// - Parameter isCodeGood: whether the server accepted the code, so that only a suitable authenticator is missing.
  case refused(isCodeGood: Bool)
  /// This many authenticators take part.
  case wayChosen(authenticators: Int)
  /// The authenticator has been verified: the entry was counted as an attempt, and found to be right.
  case verified
  /// The authenticator has no secret that is to be kept.
  case valueMissing
  /// A new secret was entered twice.
  case valueSet
  /// The front end is still connected.
  case frontEndThere
  /// The front end is gone, so nobody waits for the result.
  case frontEndGone
  /// A new key was made for each authenticator.
  case keysMade
  /// The KeyIDs are stored, because the server may know the keys from now on.
  case keysNoted
  /// One signature was made.
  case signed
  /// The server demands a further authentication before it decides.
  case furtherRequest
  /// The server accepts the response to this challenge.
  case accepted(challenge: String)
  /// The server's success meets the demands of root's configuration.
  case believed
  /// The keys and secrets are stored in the account's file.
  case kept
  /// The action failed: the entry was wrong, locked or cancelled, the time was over, or something failed here.
  case stopped
}

/// The next thing to do in a registration.
///
/// The outcome of each action except ``finish(_:)`` is reported as a ``RegistrationEvent``.
enum RegistrationAction: Hashable {
  /// The possible outcomes.
  enum Outcome: Hashable {
    /// The server has accepted the keys, and they are stored.
    case kept
    /// The server refused, or was not reached.
    case refused
    /// The last action failed.
    case stopped
    /// The front end was gone; nothing more was signed or sent.
    case frontEndGone
    /// An event did not fit the last action.
    case outOfTurn
  }

  /// Decide whether the code or proof of this registration allows a new secret to be set.
  case checkPermit
  /// Ask the server for a request, and wait for it.
  case askRequest
  /// Let the person choose what to register, if the request leaves a choice.
  case chooseWay
  /// Let the person verify the next authenticator, if it already has a secret or fingerprint.
  case openValue
  /// Let the person choose a new secret for the next authenticator.
  case setValue
  /// Report whether the front end is still connected.
  case checkFrontEnd
  /// Make a key for each authenticator.
  case makeKeys
  /// Have a registered key authorise the new ones. The payload is its index among the keys that signed the proof.
  case authorize(Int)
  /// Store the KeyIDs, because the server may know the keys from now on.
  case noteKeys
  /// Send the keys, and wait for the server's verdict.
  case sendKeys
  /// Read the further request that came with the verdict.
  case receiveFurther
  /// Find the authenticators that must sign the further request.
  case findWay
  /// Make one signature.
  case sign
  /// Send the signatures, and wait for the server's verdict.
  case sendAnswer
  /// Check whether the server's success meets the demands of root's configuration.
  case believe
  /// Store the keys and secrets.
  case keep
  /// End the registration.
  case finish(Outcome)
}
