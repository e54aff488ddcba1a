import GRDB
import UAFMessages
import UAFService

/// Writes what a verified answer changes.
struct AnswerStore {
  let db: Database

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

  private func changes(for answer: VerifiedAnswer) throws -> AnswerOutcome {
    let challenges = UsedChallengeStore(db: db)
    for signature in answer.signatures {
      guard try raiseCounter(signature, of: answer) else {
        return try challenges.contains(answer.challengeHash) ? .challengeUsed : .counterNotIncreased
      }
    }
    if let id = answer.approvalID {
      let isConfirmed = try ApprovalStore(db: db).confirm(id: id, reservedBy: answer.challengeHash, now: answer.now)
      guard isConfirmed else { return .approvalUsed }
    }
    try challenges.use(answer.challengeHash, expiresAt: answer.expiresAt)
    for text in answer.confirmedTexts { try ConfirmedTextStore(db: db).add(text) }
    return .stored
  }

  /// Stores the counter of a verified signature, if it is higher than the stored one, or both are 0, and if the challenge was
  /// not used.
  private func raiseCounter(_ signature: VerifiedAuthentication, of answer: VerifiedAnswer) throws -> Bool {
    try db.cachedStatement(
      sql: """
        UPDATE credential SET signCounter = ?1, lastUsedAt = ?2
        WHERE aaid = ?3 AND keyID = ?4 AND username = ?5 AND revokedAt IS NULL
          AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
          AND NOT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = ?6)
        """
    ).execute(arguments: [
      signature.signCounter, answer.now, signature.aaid.text, signature.keyID.bytes.databaseBlob, answer.username,
      answer.challengeHash.databaseBlob,
    ])
    return db.changesCount == 1
  }
}
