import GRDB
import UAFService

/// Writes what a verified answer changes.
struct AnswerStore {
  let db: Database
  let statements: AnswerStatements

  /// Stores an answer, whole or not at all, within the transaction of its batch.
  ///
  /// With one change that may be refused, a refusal leaves nothing to undo.
  func store(_ answer: VerifiedAnswer) throws -> AnswerOutcome {
    guard answer.signatures.count > 1 || answer.approvalID != nil else { return try changes(for: answer) }
    var outcome = AnswerOutcome.stored
    try db.inSavepoint {
      outcome = try changes(for: answer)
      return outcome == .stored ? .commit : .rollback
    }
    return outcome
  }

  /// Adds the rows of stored answers to the audit, in the transaction of their batch.
  func record(_ events: [AuditEntry]) throws { try statements.append(events) }

  private func refusal(of answer: VerifiedAnswer) throws -> AnswerOutcome {
    if try UsedChallengeStore(db: db).contains(answer.challenge) { return .challengeUsed }
    let block = try AccountStore(db: db).block(of: answer.username)
    return AnswerOutcome(refusedBy: block, at: answer.now)
  }

  private func changes(for answer: VerifiedAnswer) throws -> AnswerOutcome {
    for signature in answer.signatures {
      guard try statements.raiseCounter(signature, of: answer, db) else {
        return try refusal(of: answer)
      }
    }
    if let id = answer.approvalID {
      let isConfirmed = try ApprovalStore(db: db).confirm(id: id, reservedBy: answer.challengeHash, now: answer.now)
      guard isConfirmed else { return .approvalUsed }
    }
    try statements.useChallenge(of: answer)
    for text in answer.confirmedTexts { try ConfirmedTextStore(db: db).add(text) }
    return .stored
  }
}
