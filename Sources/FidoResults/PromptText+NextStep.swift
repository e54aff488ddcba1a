extension PromptText {
  /// What can be done about an ending with this text; nil if the text says so itself, or there is nothing to do.
  public func nextStep(in language: Language) -> String? {
    switch self {
    case .cause(let cause): language.catalogue.told(cause).nextStep
    case .wrong, .digitsExpected: FidoResult.wrongValue.nextStep(in: language)
    // The texts say how a lock ends. Whoever has forgotten the value is locked again after that.
    case .locked, .lockedForGood: language.catalogue.ifForgotten
    case .noAnswer(.dns), .noAnswer(.refused), .noAnswer(.unreachable), .noAnswer(.timeOut), .noAnswer(.connectionLost):
      FidoResult.noAnswer.nextStep(in: language)
    case .noAnswer(.tls), .noAnswer(.proxy), .serverStatus, .serverNumber: FidoResult.unknown.nextStep(in: language)
    // A server's own words may contradict any advice beside them.
    case .refusedByServer: nil
    // These texts say it themselves.
    case .noAnswer(.ownMeans), .valueNotSet, .revoked, .serverForbids, .serverUndecided,
      .serverFailed, .serverNameChanged, .stateIsOlder, .cancelled, .denied, .approvalIsOver, .textTooLong,
      .ownTextTooLong, .overwrittenByList, .configurationError,
      .tooManyConversations, .registeredAgain, .unlockCodeWrong:
      nil
    // These texts end nothing, or belong to a success.
    case .value, .currentValue, .newValue, .newValueAgain, .valuesDiffer, .valueUnchanged, .enrol, .patternKeys,
      .choice,
      .choiceNumber, .choiceOption, .registerAgain, .noSuchChoice, .emptyLineBack, .valueIsStale, .valueIsStaleHere,
      .acceptedOffline, .valueMeetsRules, .enrolmentCode, .machinePayload, .unlockLine, .unlockCode,
      .recoveryKey, .oneTimeCode,
      .waitingForServer, .confirm, .wrongBefore, .registerAgainChosen,
      .ready,
      .partOfText,
      .registered, .lostKeysForgotten, .registeredBefore, .valueReplaced, .deregistered, .deregisteredThere,
      .deregisteredHere,
      .deregisteredMore, .forgotten, .renamed, .changed, .reset, .repaired, .left,
      .patternGrid,
      .touchOrType, .touch, .touchThenEnter, .touched, .printsAccepted:
      nil
    }
  }
}
