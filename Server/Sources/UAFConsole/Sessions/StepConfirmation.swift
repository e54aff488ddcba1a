import UAFAdministration
import UAFService

/// The confirmation of a dangerous step within a session.
struct StepConfirmation {
  /// What became of the waiting step.
  enum Outcome {
    case waiting
    case ended
    /// It was confirmed, and is out of the session: the caller has to perform it.
    ///
    /// If that fails, or the server stops before it, the person has to begin and confirm it again.
    case confirmed(DangerousStep)
  }

  let environment: ConsoleEnvironment

  /// Keeps a step in the session until it is confirmed; an earlier step is forgotten.
  ///
  /// - Parameter isChecked: whether the form that asks for the step has already checked that it can be done.
  /// - Throws: ``AdministrationRefusal`` if the caller may not do it, if it would be refused now, or if its text is too long to
  ///   be shown in full.
  func begin(_ step: DangerousStep, isChecked: Bool, _ signedIn: SignedIn) async throws {
    try signedIn.caller.require(step.permission)
    if !isChecked { try await step.check(in: environment.administration, by: signedIn.caller) }
    let code = ConfirmationCode(
      .step, for: signedIn.session.username,
      random: try environment.administration.random(ConfirmationCode.idBytes + 2), now: environment.now)
    guard let text = try step.shownText(number: code.shownNumber) else {
      throw AdministrationRefusal.invalid(field: "text", .tooLongToConfirm)
    }
    let waiting = ConsoleSession.WaitingStep(
      id: code.id, text: text, action: step.stored, code: try code.sealed(by: environment.keys))
    try await environment.administration.writeCallerRecords {
      try $0.consoleSessions.setStep(waiting, tokenHash: signedIn.session.tokenHash)
    }
  }

  /// The code of the waiting step; nil if no step waits.
  func code(_ session: ConsoleSession) throws -> ConfirmationCode? {
    guard let step = session.step else { return nil }
    return try ConfirmationCode(
      sealed: step.code, for: session.username, keys: environment.keys, now: environment.now)
  }

  /// Takes the step out of the session, and uses up its code, if its text was confirmed.
  func takeConfirmed(_ signedIn: SignedIn) async throws -> Outcome {
    guard let code = try code(signedIn.session), let step = signedIn.session.step,
      let action = DangerousStep(stored: step.action)
    else { return .ended }
    let challenges = try code.challenges(keys: environment.keys)
    let now = environment.now
    let tokenHash = signedIn.session.tokenHash
    return try await environment.administration.writeCallerRecords { records in
      // A second page of the same browser may have cancelled the step, or begun a new one, since the session was read.
      guard try records.consoleSessions.session(tokenHash: tokenHash)?.step?.id == code.id else { return .ended }
      guard try challenges.contains(where: { try records.usedChallenges.contains($0) }) else {
        return try records.usedProofs.contains(tokenID: code.usedName) ? .ended : .waiting
      }
      guard try records.usedProofs.use(tokenID: code.usedName, expiresAt: code.expiresAt, now: now) else {
        return .ended
      }
      try records.consoleSessions.setStep(nil, tokenHash: tokenHash)
      return .confirmed(action)
    }
  }

  /// Forgets the waiting step, and uses up its code: nobody can confirm it afterwards.
  func cancel(_ signedIn: SignedIn) async throws {
    let code = try code(signedIn.session)
    let now = environment.now
    try await environment.administration.writeCallerRecords { records in
      if let code { _ = try records.usedProofs.use(tokenID: code.usedName, expiresAt: code.expiresAt, now: now) }
      try records.consoleSessions.setStep(nil, tokenHash: signedIn.session.tokenHash)
    }
  }
}

/// The pages that wait for a signature: of a sign-in, and of a dangerous step.
enum ConfirmationPages {
  static func signIn(_ language: PageLanguage) -> PageContent {
    PageContent(
      title: language.text(.signIn),
      blocks: [
        .paragraph(language.text(.signInIntro)),
        .form(
          PageForm(
            title: language.text(.signIn), action: "/console/sign-in", button: language.text(.goOn),
            fields: [PageField(name: "name", label: language.text(.accountName), isRequired: true, maximum: 128)])),
      ])
  }

  /// What is to be confirmed, and how.
  ///
  /// - Parameter action: the target of the button that says it was confirmed.
  static func waiting(
    _ title: PageText, shown: String, number: String, line: String, action: String, _ language: PageLanguage
  ) -> PageContent {
    var blocks: [PageBlock] = [
      .paragraph(language.text(.confirmHow)),
      .facts([(language.text(.textToConfirm), shown), (language.text(.codeNumber), number)]),
      .code(line, label: language.text(.payloadLine)),
    ]
    if let picture = QRCode(line) { blocks.append(.picture(picture, label: language.text(.payloadPicture))) }
    blocks.append(
      .form(PageForm(title: language.text(title), action: action, button: language.text(.haveConfirmed))))
    return PageContent(title: language.text(title), blocks: blocks)
  }
}
