extension PromptText {
  /// What can be done about an end that is told with this text; nil where the text says so itself, or there is nothing to do.
  public func nextStep(in language: Language) -> String? {
    switch self {
    case .cause(let cause): language.catalogue.told(cause).nextStep
    case .wrong, .digitsExpected: FidoResult.wrongValue.nextStep(in: language)
    case .noAnswer(.dns), .noAnswer(.refused), .noAnswer(.unreachable), .noAnswer(.timeOut), .noAnswer(.connectionLost):
      FidoResult.noAnswer.nextStep(in: language)
    case .noAnswer(.tls), .serverStatus, .serverNumber: FidoResult.unknown.nextStep(in: language)
    // What a server says for itself may be at odds with anything that is said beside it.
    case .refusedByServer: nil
    // These say it themselves.
    case .noAnswer(.ownMeans), .valueNotSet, .locked, .lockedForGood, .revoked, .serverForbids, .serverUndecided,
      .serverFailed, .serverNameChanged, .stateIsOlder, .cancelled, .denied, .approvalIsOver, .textTooLong,
      .ownTextTooLong, .overwrittenByList, .configurationError,
      .tooManyConversations, .registeredAgain:
      nil
    // And these end nothing, or end it well.
    case .value, .currentValue, .newValue, .newValueAgain, .valuesDiffer, .valueUnchanged, .enrol, .patternKeys,
      .choice,
      .choiceNumber, .choiceOption, .registerAgain, .noSuchChoice, .emptyLineBack, .valueIsStale, .valueIsStaleHere,
      .acceptedOffline, .valueMeetsRules, .enrolmentCode, .oneTimeCode, .waitingForServer, .confirm, .ready,
      .partOfText,
      .registered, .deregistered, .deregisteredHere, .deregisteredMore, .changed, .reset, .patternGrid:
      nil
    }
  }
}
