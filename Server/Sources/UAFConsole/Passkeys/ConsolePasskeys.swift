import UAFAdministration
import UAFMessages
import UAFService
import WebAuthn
import WebMessages

/// Signing in to the console with a passkey, and confirming a dangerous step with one.
///
/// A passkey signs what the page shows: its authenticator has no screen of its own for the text. Whoever wants the text on
/// another screen confirms with `uafctl oob`, as before.
struct ConsolePasskeys {
  let environment: ConsoleEnvironment

  private var service: PasskeyService { environment.passkeys }

  // MARK: Signing in

  /// The options of a sign-in.
  ///
  /// - Parameter name: the account; empty if the person chooses a passkey that knows its account.
  /// - Throws: ``ServiceRefusal``; the store's errors.
  func signInOptions(for name: String) async throws -> JSONValue {
    guard name.isEmpty || Username.isValid(name) else { throw ServiceRefusal.invalidUsername }
    return try await service.requestOptions(for: name.isEmpty ? nil : name, purpose: .consoleSignIn).json
  }

  /// Opens a session for the account whose passkey has answered.
  ///
  /// - Parameter answer: the assertion in JSON.
  /// - Returns: the session's token; nil if the account has no role.
  /// - Throws: ``ConsolePasskeyRefusal``; the store's errors.
  func openSession(_ answer: String, address: String) async throws -> SessionToken? {
    let accepted = try await authenticate(answer, .consoleSignIn, address: address)
    let name = accepted.username
    let now = environment.now
    let token = SessionToken(random: try environment.administration.random(SessionToken.randomBytes))
    let tokenHash = try token.hash()
    return try await environment.administration.writeCallerRecords { records in
      let role = try records.administrators.administrator(name)?.role
      let refusal = role == nil ? "no-role" : try Self.refusal(of: accepted, in: records, now: now)
      try records.audit.append([
        AuditEntry(
          time: now, kind: .consoleSignIn, outcome: refusal ?? AuditEntry.done, account: name,
          actor: .administrator(name), address: address, authenticators: KeyName.passkey(accepted.id).text)
      ])
      guard let role, refusal == nil else { return nil }
      try records.consoleSessions.add(
        ConsoleSession(tokenHash: tokenHash, username: name, role: role, startedAt: now, lastUsedAt: now), now: now)
      return token
    }
  }

  /// Why no session is opened although the passkey was accepted, as the audit's outcome; nil if one is opened.
  ///
  /// Between the answer and this transaction, the account may have been blocked or the passkey revoked.
  private static func refusal(
    of accepted: AcceptedPasskey, in records: any StoreTransaction, now: Int64
  ) throws -> String? {
    if try records.accounts.block(of: accepted.username)?.refusal(at: now) != nil { return "blocked" }
    return try records.passkeys.passkey(accepted.id)?.countsForSteps == true ? nil : "key-revoked"
  }

  // MARK: Confirming

  /// The options for the waiting step of a session: its text is a part of the challenge.
  ///
  /// - Throws: ``ServiceRefusal``; the store's errors.
  func stepOptions(_ signedIn: SignedIn) async throws -> JSONValue {
    guard let step = signedIn.session.step else { throw ServiceRefusal.approvalCodeUsed }
    return try await service.requestOptions(
      for: signedIn.session.username, purpose: .consoleStep, confirming: step.text
    ).json
  }

  /// Checks that a passkey of the person has confirmed the waiting step, and takes the step from the session.
  ///
  /// - Returns: the step, which the caller must perform now; nil if it has ended in the meantime.
  /// - Throws: ``ConsolePasskeyRefusal``; the store's errors.
  func takeStep(_ answer: String, _ signedIn: SignedIn, address: String) async throws -> DangerousStep? {
    guard let step = signedIn.session.step, let action = DangerousStep(stored: step.action),
      let code = try StepConfirmation(environment: environment).code(signedIn.session)
    else { return nil }
    _ = try await authenticate(
      answer, .consoleStep, of: signedIn.session.username, confirming: step.text, address: address)
    let (now, tokenHash) = (environment.now, signedIn.session.tokenHash)
    return try await environment.administration.writeCallerRecords { records in
      // Since the session was read, a second page of the same browser may have cancelled the step, or begun a new one.
      guard try records.consoleSessions.session(tokenHash: tokenHash)?.step?.id == step.id,
        try records.usedProofs.use(tokenID: code.usedName, expiresAt: code.expiresAt, now: now)
      else { return nil }
      try records.consoleSessions.setStep(nil, tokenHash: tokenHash)
      return action
    }
  }

  /// Verifies and stores an answer; a refused one is counted and recorded like that of a login.
  ///
  /// - Parameters:
  ///   - account: the account that the options must be for; nil for any.
  ///   - text: the text that the answer must confirm; nil for none.
  private func authenticate(
    _ answer: String, _ purpose: ChallengePurpose, of account: String? = nil, confirming text: String? = nil,
    address: String
  ) async throws -> AcceptedPasskey {
    let limits = environment.passkeyGuard
    var received: ReceivedPasskeyResponse?
    var owner: String?
    do {
      let read = try read(answer)
      received = read
      if !limits.admitsAnswer(read), try await !limits.refused(read, nil, nil, address) {
        throw ConsolePasskeyRefusal.limited
      }
      return try await service.authenticate(
        read, purpose: purpose, of: account, confirming: text, signed: { owner = $0 }, at: address)
    } catch let refusal as ServiceRefusal {
      guard try await limits.refused(received, refusal, owner, address) else {
        throw ConsolePasskeyRefusal.limited
      }
      throw ConsolePasskeyRefusal.refused(refusal)
    }
  }

  private func read(_ answer: String) throws -> ReceivedPasskeyResponse {
    let response: AssertionResponse
    do throws(WebAuthnError) { response = try AssertionResponse(parsing: Array(answer.utf8)) } catch {
      throw ServiceRefusal.malformedMessage
    }
    return try service.read(.authentication(response))
  }
}

/// Why an answer of a passkey does nothing in the console.
enum ConsolePasskeyRefusal: Error {
  case refused(ServiceRefusal)
  /// There were too many wrong answers.
  case limited
}

/// The part of a page with the button for a passkey, and the notices that its script shows.
struct PasskeyButton {
  /// Where the answer is sent; the options come from the path with `/options` after it.
  let action: String
  let button: String
  private let notices: [PasskeyNotice]

  init(action: String, button: PageText, _ language: PageLanguage) {
    self.action = action
    self.button = language.text(button)
    notices = PasskeyNotice.all([("cancelled", .passkeyCancelled)], language)
  }

  /// The values for the template.
  func context(csrf: String) -> [String: Any] {
    [
      "action": action, "button": button, "csrf": csrf,
      "notices": notices.map { ["name": $0.name, "text": $0.text] },
    ]
  }
}
