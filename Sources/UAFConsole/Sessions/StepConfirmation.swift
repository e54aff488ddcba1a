import UAFAdministration
import UAFMessages
import UAFService

/// The confirmation of a dangerous step, within a session.
struct StepConfirmation {
  /// What became of it.
  enum Outcome {
    case waiting
    case ended
    /// It was confirmed, once; it is done now.
    case confirmed(DangerousStep)
  }

  let environment: ConsoleEnvironment

  /// Keeps a step in the session until it is confirmed; an earlier one is forgotten.
  ///
  /// - Throws: ``AdministrationRefusal`` if the caller may not do it, or its text is too long to be shown whole.
  func begin(_ step: DangerousStep, _ signedIn: SignedIn) async throws {
    try signedIn.caller.require(step.permission)
    let code = ConfirmationCode(
      .step, for: signedIn.session.username,
      random: try environment.administration.random(ConfirmationCode.idBytes + 2), now: environment.now)
    guard let text = try step.shownText(number: code.shownNumber) else {
      throw AdministrationRefusal.invalid(field: "text", reason: "is too long to be confirmed")
    }
    let waiting = ConsoleSession.WaitingStep(
      id: code.id, text: text, action: step.stored, code: try code.sealed(by: environment.keys))
    try await environment.administration.note {
      try $0.consoleSessions.setStep(waiting, tokenHash: signedIn.session.tokenHash)
    }
  }

  /// The code of the step that waits; nil if none does.
  func code(_ session: ConsoleSession) throws -> ConfirmationCode? {
    guard let step = session.step else { return nil }
    return try ConfirmationCode(
      sealed: step.code, for: session.username, keys: environment.keys, now: environment.now)
  }

  /// Takes the step out of the session, if its text was confirmed.
  func outcome(_ signedIn: SignedIn) async throws -> Outcome {
    guard let code = try code(signedIn.session), let step = signedIn.session.step,
      let action = DangerousStep(stored: step.action)
    else { return .ended }
    let challenges = try code.challenges(keys: environment.keys)
    let now = environment.now
    let tokenHash = signedIn.session.tokenHash
    return try await environment.administration.note { records in
      // Another page of the same browser may have taken the step back, or begun another one, since the session was read.
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

  /// Forgets the step that waits, and uses up its code: nobody can confirm it afterwards.
  func cancel(_ signedIn: SignedIn) async throws {
    let code = try code(signedIn.session)
    let now = environment.now
    try await environment.administration.note { records in
      if let code { _ = try records.usedProofs.use(tokenID: code.usedName, expiresAt: code.expiresAt, now: now) }
      try records.consoleSessions.setStep(nil, tokenHash: signedIn.session.tokenHash)
    }
  }
}
