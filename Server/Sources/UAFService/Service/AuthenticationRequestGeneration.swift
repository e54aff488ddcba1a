import UAFCrypto
import UAFMessages

/// The generation of one request for an authentication.
///
/// Anybody may get such a request, since only the account's keys can answer it. Nothing is stored, with one exception: a
/// request for an approval's text reserves the approval's code.
struct AuthenticationRequestGeneration {
  let issuer: RequestIssuer

  private var context: RequestContext { issuer.context }
  private var environment: ServiceEnvironment { issuer.environment }

  /// The text to which an approval's code leads.
  private enum Waiting: Sendable {
    case wrongCode
    case denied
    case text(id: Int64, TransactionText, keys: [StoredKey])
  }

  /// Issues the request.
  ///
  /// If the caller sends the code of a text that waits to be confirmed, the request contains that text, and the answer to it
  /// proves nothing else. With the same code a caller can also deny the text, without an answer.
  func request() async throws -> RequestOutcome {
    let proof = try ProofPurpose(context)
    if let code = context.authCode { return try await confirmation(code, isProof: proof != nil) }
    guard context.denies != true else { return .refused(.malformedRequest) }
    let text: TransactionText?
    if let sent = context.transaction {
      // A person who confirms a text does not thereby allow keys to be registered or removed.
      guard proof == nil else { return .refused(.malformedRequest) }
      guard let made = TransactionText(sent: sent) else { return .refused(.unsupportedTransaction) }
      guard TextKind(of: made.shown) == .machine else { return .refused(.textOfOtherKind) }
      text = made
    } else {
      text = nil
    }
    let keys = try await environment.store
      .login(of: context.username, appID: issuer.identity.appID, challenge: nil).keys
    let purpose = proof?.purpose ?? (text == nil ? .login : .text)
    var data = ServerData(purpose, username: context.username, expiresAt: issuer.expiresAt)
    data.proofSubject = proof?.subject ?? []
    data.text = try SealedText(text)
    return try answer(data, issuer.challenge(for: purpose), text: text, keys: keys)
  }

  private func confirmation(_ code: String, isProof: Bool) async throws -> RequestOutcome {
    guard context.transaction == nil, !isProof else { return .refused(.malformedRequest) }
    let console = try ConfirmationCode(
      sealed: code, for: context.username, keys: environment.keys, now: issuer.now)
    if let console { return try await confirmation(console) }
    let unique = try environment.random(PurposedChallenge.uniqueByteCount)
    switch try await waiting(code, challengeHash: SHA256.hash(unique)) {
    case .wrongCode: return .refused(.wrongApprovalCode)
    case .denied: return .denied(username: context.username)
    case .text(let id, let text, let keys):
      var data = ServerData(.approval, username: context.username, expiresAt: issuer.expiresAt)
      data.approvalID = id
      let challenge = try issuer.challenge(for: .approval, text: text, unique: unique)
      return try answer(data, challenge, text: text, keys: keys)
    }
  }

  private func waiting(_ code: String, challengeHash: [UInt8]) async throws -> Waiting {
    let (name, now) = (context.username, issuer.now)
    // Checked first in a transaction that only reads, so that a wrong code does not delay the transactions that write.
    let isRight = try await environment.store.read { try $0.approvals.check(code: code, for: name, now: now) != nil }
    guard isRight else { return .wrongCode }
    return try await environment.store.write { [issuer, context, appID = issuer.identity.appID] records in
      guard let approval = try records.approvals.check(code: code, for: name, now: now),
        // A text that an earlier version of the server stored does not say who asks.
        TextKind(of: approval.shown) == .approval, let text = TransactionText(sent: approval.shown)
      else { return .wrongCode }
      if context.denies == true {
        guard try records.approvals.deny(id: approval.id, now: now) else { return .wrongCode }
        try records.audit.append([issuer.denial(of: .approval, id: approval.id)])
        return .denied
      }
      try records.approvals.reserve(id: approval.id, challengeHash: challengeHash)
      return .text(id: approval.id, text, keys: try records.credentials.keys(of: name, appID: appID))
    }
  }

  /// Makes the request for a text of the console.
  ///
  /// It stores nothing, so anybody may ask for a sign-in.
  private func confirmation(_ code: ConfirmationCode) async throws -> RequestOutcome {
    if context.denies == true { return try await denial(code) }
    let url = issuer.identity.publicURL
    let found = try await environment.store.read { [appID = issuer.identity.appID] records in
      guard try !records.usedProofs.contains(tokenID: code.usedName) else { return (nil as String?, [StoredKey]()) }
      return (
        try Self.text(of: code, at: url, in: records),
        try records.credentials.vouchedKeys(of: code.username, appID: appID)
      )
    }
    guard let text = found.0.flatMap({ TransactionText(sent: $0) }) else { return .refused(.wrongApprovalCode) }
    let purpose: ChallengePurpose = code.subject == .signIn ? .consoleSignIn : .consoleStep
    var data = ServerData(purpose, username: context.username, expiresAt: code.expiresAt)
    data.text = try SealedText(text)
    // Each request with this code has the same challenge, so that only one of them can be answered.
    let challenge = try issuer.challenge(for: purpose, text: text, unique: code.unique(keys: environment.keys))
    return try answer(data, challenge, text: text, keys: found.1)
  }

  /// The text that a console code stands for; nil if its step no longer waits.
  private static func text(
    of code: ConfirmationCode, at url: String, in records: any StoreTransaction
  ) throws -> String? {
    switch code.subject {
    case .signIn: return code.signInText(at: url)
    case .step:
      let text = try records.consoleSessions.stepText(id: code.id, of: code.username)
      return text.flatMap { TextKind(of: $0) == .step ? $0 : nil }
    }
  }

  /// Handles the denial of a text of the console.
  ///
  /// Anybody can start a sign-in and so get its code. So the denial of a sign-in is only recorded in the audit: a sign-in that
  /// nobody confirms expires by itself. Only the session has the code of a step, so the denial of a step is stored, and is
  /// final.
  private func denial(_ code: ConfirmationCode) async throws -> RequestOutcome {
    let (now, url) = (issuer.now, issuer.identity.publicURL)
    let challenges = try code.challenges(keys: environment.keys)
    let waits = try await environment.store.read { records in
      try !records.usedProofs.contains(tokenID: code.usedName)
        && !challenges.contains { try records.usedChallenges.contains($0) }
        && Self.text(of: code, at: url, in: records) != nil
    }
    guard waits else { return .refused(.wrongApprovalCode) }
    guard code.subject == .step else { return .denied(username: context.username) }
    let isDenied = try await environment.store.write { [issuer] records in
      guard try records.usedProofs.use(tokenID: code.usedName, expiresAt: code.expiresAt, now: now) else {
        return false
      }
      try records.audit.append([issuer.denial(of: .step)])
      return true
    }
    return isDenied ? .denied(username: context.username) : .refused(.wrongApprovalCode)
  }

  private func answer(
    _ data: ServerData, _ challenge: ServerChallenge, text: TransactionText?, keys: [StoredKey]
  ) throws -> RequestOutcome {
    let asked = try AskedKeys(environment: environment, username: context.username, stored: keys)
    let serverData = try issuer.seal(data, challenge)
    let transaction = try text.map { [try Transaction(signing: $0)] } ?? []
    let request = AuthenticationRequest(
      header: issuer.header(.authentication, upv: .uaf11, serverData: serverData), challenge: challenge,
      transaction: transaction, policy: Policy(accepted: asked.accepted))
    return issuer.issued(UAFRequest.text(of: request, in: UPV.supported), .authentication)
  }
}

/// The purpose that an authentication authorises.
///
/// The token of an ordinary login authorises nothing, because other programs may be able to read it in a process's environment.
/// A client that authenticates in order to register or deregister says so in the context of its request: with the members
/// `deregisterAll` or `deregisterAAID`, or with our own `proofFor`, which is `"Reg"` or `"Dereg"`. The purpose is part of the
/// challenge, so whoever signs the challenge signs the purpose.
struct ProofPurpose: Equatable {
  /// What the challenge is for.
  let purpose: ChallengePurpose
  /// SHA-256 of what is authorised, such as the keys to remove; empty if the whole operation is.
  let subject: [UInt8]

  /// - Returns: nil for an ordinary authentication.
  /// - Throws: ``CryptoError``.
  init?(_ context: RequestContext) throws(CryptoError) {
    if context.deregisterAll == true || context.deregisterAAID != nil || context.proofFor == .deregistration {
      purpose = .removal
      subject = try SHA256.hash(context.removalStatement)
    } else if context.proofFor == .registration {
      purpose = .furtherKeys
      subject = []
    } else {
      return nil
    }
  }
}
