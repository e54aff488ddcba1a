import UAFAdministration
import UAFService

/// The confirmation of a dangerous step within a session.
struct StepConfirmation {
  /// The outcome of the waiting step.
  enum Outcome {
    case waiting
    case ended
    /// The step was confirmed, and was removed from the session: the caller must perform it now.
    ///
    /// If that fails, or the server stops first, the person must begin and confirm the step again.
    case confirmed(DangerousStep)
  }

  let environment: ConsoleEnvironment

  /// Stores a step in the session until it is confirmed; it replaces an earlier step.
  ///
  /// - Parameter isChecked: whether the form has already checked that the step would not be refused.
  /// - Throws: ``AdministrationRefusal`` if the caller lacks the permission, if the step would be refused now, or if its text
  ///   is too long to be shown whole.
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

  /// If the text was confirmed, removes the step from the session, and marks its code as used.
  func takeConfirmed(_ signedIn: SignedIn) async throws -> Outcome {
    guard let code = try code(signedIn.session), let step = signedIn.session.step,
      let action = DangerousStep(stored: step.action)
    else { return .ended }
    let challenges = try code.challenges(keys: environment.keys)
    let now = environment.now
    let tokenHash = signedIn.session.tokenHash
    return try await environment.administration.writeCallerRecords { records in
      // Since the session was read, a second page of the same browser may have cancelled the step, or begun a new one.
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

  /// Removes the waiting step, and marks its code as used, so that nobody can confirm it any longer.
  func cancel(_ signedIn: SignedIn) async throws {
    let code = try code(signedIn.session)
    let now = environment.now
    try await environment.administration.writeCallerRecords { records in
      if let code { _ = try records.usedProofs.use(tokenID: code.usedName, expiresAt: code.expiresAt, now: now) }
      try records.consoleSessions.setStep(nil, tokenHash: signedIn.session.tokenHash)
    }
  }
}

/// The pages on which a sign-in or a dangerous step waits for its signature.
enum ConfirmationPages {
  /// The page with the sign-in form.
  ///
  /// - Parameter passkeys: where the script sends the answer of a passkey.
  static func signIn(passkeys: String, _ language: PageLanguage) -> PageContent {
    PageContent(
      title: language.text(.signIn),
      blocks: [
        .paragraph(language.text(.signInIntro)),
        .form(
          PageForm(
            title: language.text(.signIn), action: "/console/sign-in", button: language.text(.goOn),
            fields: [PageField(name: "name", label: language.text(.accountName), isRequired: true, maximum: 128)])),
        .paragraph(language.text(.passkeyInstead)),
        .passkey(PasskeyButton(action: passkeys, button: .signInByPasskey, language)),
      ])
  }

  /// The page that shows the text to be confirmed, and explains how.
  ///
  /// - Parameters:
  ///   - end: when the text can no longer be confirmed.
  ///   - action: the target of the button with which the person says that they have confirmed the text.
  ///   - passkey: the button that confirms the text with a passkey instead; nil for none.
  ///   - cancel: the form that gives up; nil for none.
  static func waiting(
    _ title: PageText, shown: String, number: String, end: PageTime, line: String, action: String,
    passkey: PasskeyButton? = nil, cancel: PageForm? = nil, _ language: PageLanguage
  ) -> PageContent {
    var blocks: [PageBlock] = [
      .paragraph(language.text(.confirmHow)),
      .details([
        (language.text(.textToConfirm), PageCell(shown)), (language.text(.codeNumber), PageCell(number)),
        (language.text(.expires), PageCell(end.exact, kind: .time(end))),
      ]),
    ]
    if let passkey { blocks += [.paragraph(language.text(.passkeySignsPage)), .passkey(passkey)] }
    blocks.append(
      .form(PageForm(title: language.text(title), action: action, button: language.text(.haveConfirmed))))
    if let cancel { blocks.append(.form(cancel)) }
    // Below the buttons: the page's own come first, and nobody must scroll past a picture to reach them.
    blocks.append(.code(line, label: language.text(.payloadLine), copy: CopyButton(language)))
    if let picture = QRCode(line) { blocks.append(.picture(picture, label: language.text(.payloadPicture))) }
    return PageContent(title: language.text(title), blocks: blocks)
  }
}
