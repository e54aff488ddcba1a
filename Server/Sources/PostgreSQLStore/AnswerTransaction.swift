import SQLStore
import UAFMessages
import UAFService

/// Stores verified answers.
struct AnswerTransaction {
  let connection: Connection

  /// Stores answers: in one commit those that change different rows, and the others one by one.
  ///
  /// - Returns: for each answer a success, or the ``ServiceRefusal`` or failure because of which it was not stored.
  func store(_ answers: [VerifiedResponse]) -> [Result<Void, any Error>] {
    var outcomes: [Result<Void, any Error>?] = answers.map { _ in nil }
    let together = Self.independent(answers)
    let committed = BatchQueue.outcomes(
      of: together.map { answers[$0] }, isUndone: PostgreSQLError.isUndone, together: commit)
    for (index, outcome) in zip(together, committed) { outcomes[index] = outcome }
    return zip(answers, outcomes).map { answer, outcome in
      outcome ?? Result { try commitAlone(answer) }
    }
  }

  /// The indices of the answers that one statement can store: answers of UAF without texts, of which no two have the same
  /// challenge or key.
  ///
  /// A statement sees the rows as they were before it began. So it could not notice that another answer in the same statement
  /// has used the same challenge.
  private static func independent(_ answers: [VerifiedResponse]) -> [Int] {
    struct Key: Hashable {
      let aaid: AAID
      let keyID: KeyID
    }
    var (hashes, keys): (Set<[UInt8]>, Set<Key>) = ([], [])
    return answers.indices.filter { index in
      let answer = answers[index]
      let used = answer.signatures.map { Key(aaid: $0.aaid, keyID: $0.keyID) }
      guard answer.approvalID == nil, answer.passkey == nil, answer.confirmedTexts.isEmpty,
        !hashes.contains(answer.challengeHash),
        keys.isDisjoint(with: used), Set(used).count == used.count
      else { return false }
      hashes.insert(answer.challengeHash)
      keys.formUnion(used)
      return true
    }
  }

  private func commit(_ answers: [VerifiedResponse]) throws -> [Result<Void, any Error>] {
    guard !answers.isEmpty else { return [] }
    return try undoingFailures {
      connection.forgetWarnings()
      try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      try connection.enqueue(Self.auditedStatement, Self.auditedParameters(answers))
      let stored = try connection.commit(returning: { try $0.integer(0, as: Int.self) })
      return outcomes(answers, stored: Set(stored))
    }
  }

  /// Stores an answer with its approval, its texts and its row of the audit.
  private func commitAlone(_ answer: VerifiedResponse) throws {
    try undoingFailures { () -> Result<Void, ServiceRefusal> in
      connection.forgetWarnings()
      try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      let stored = try connection.execute("\(Self.statement) SELECT number FROM stored", Self.parameters([answer])).rows
      guard !stored.isEmpty else {
        connection.rollback()
        return .failure(refusal(of: answer, used: used(among: [answer])))
      }
      let records = PostgreSQLTransaction(connection: connection)
      if let passkey = answer.passkey {
        // The account cannot be blocked before this commit, and a block that is being committed is waited for.
        try connection.execute("SELECT 1 FROM account WHERE username = $1 FOR SHARE", [.text(answer.username)])
        guard try records.passkeys.use(passkey, of: answer.username, now: answer.now) else {
          connection.rollback()
          return .failure(refusal(of: answer, used: []))
        }
      }
      if let id = answer.approvalID {
        let isConfirmed = try records.confirmApproval(id: id, reservedBy: answer.challengeHash, now: answer.now)
        guard isConfirmed else {
          connection.rollback()
          return .failure(.approvalCodeUsed)
        }
      }
      for text in answer.confirmedTexts { try records.confirmedTexts.add(text) }
      // The audit comes after the approval: a different transaction that is about to add rows to the audit may have locked the
      // approval.
      try AuditChaining(connection: connection).enqueue([answer.event])
      try connection.commit()
      return .success(())
    }.get()
  }

  /// The outcomes of answers of which only some were stored.
  private func outcomes(_ answers: [VerifiedResponse], stored: Set<Int>) -> [Result<Void, any Error>] {
    guard stored.count < answers.count else { return answers.map { _ in .success(()) } }
    let used = used(among: answers.indices.filter { !stored.contains($0) }.map { answers[$0] })
    return answers.enumerated().map { index, answer in
      stored.contains(index) ? .success(()) : .failure(refusal(of: answer, used: used))
    }
  }

  /// Those challenges of the answers that are used, perhaps only while the statement waited for a row; empty if they cannot be
  /// read.
  ///
  /// A failure of this query is ignored, because other answers may be committed, and their callers must learn that.
  private func used(among answers: [VerifiedResponse]) -> Set<[UInt8]> {
    (try? UsedChallengeTable(connection: connection).used(among: answers.map(\.challengeHash))) ?? []
  }

  /// The reason for which an answer was not stored.
  private func refusal(of answer: VerifiedResponse, used: Set<[UInt8]>) -> ServiceRefusal {
    if used.contains(answer.challengeHash) { return .unknownChallenge }
    return answer.refusal(by: try? PostgreSQLTransaction(connection: connection).accounts.block(of: answer.username))
  }

  private func undoingFailures<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      connection.rollback()
      throw error
    }
  }

  private static func parameters(_ answers: [VerifiedResponse]) -> [Parameter] {
    let numbered = answers.enumerated()
    let signatures = numbered.flatMap { number, answer in answer.signatures.map { (number, answer, $0) } }
    return [
      .integers(numbered.map { Int64($0.offset) }), .byteStrings(answers.map(\.challengeHash)),
      .integers(answers.map(\.expiresAt)), .integers(signatures.map { Int64($0.0) }),
      .texts(signatures.map(\.1.username)), .integers(signatures.map(\.1.now)),
      .texts(signatures.map { $0.2.aaid.text }), .byteStrings(signatures.map(\.2.keyID.bytes)),
      .integers(signatures.map { Int64($0.2.signCounter) }),
    ]
  }

  static func auditedParameters(_ answers: [VerifiedResponse]) -> [Parameter] {
    parameters(answers)
      + AuditChaining.parameters(answers.map(\.event), places: answers.indices.map { Int64($0) })
  }

  // The statement that stores answers, and adds the rows of the audit for those that it stores.
  static let auditedStatement = """
    \(statement), \(AuditChaining.events(first: 10)), recorded AS (
      SELECT a.* FROM asked a JOIN stored s ON s.number = a.place
    ), \(AuditChaining.chained(from: "recorded")) SELECT number * \(AuditChaining.hasMoved) FROM stored
    """

  // First the keys are locked, in the order of their numbers, and then the challenges, in the order of their hashes: so two
  // batches cannot deadlock. A locked row shows what was committed last. An answer is complete if each of its signatures may
  // raise the counter of its key.
  private static let statement = """
    WITH RECURSIVE answer AS (
      SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS a (number, hash, expiresAt)
    ), signature AS (
      SELECT * FROM unnest($4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::bytea[], $9::bigint[])
        AS s (answer, username, usedAt, aaid, keyID, counter)
    ), locked AS (
      SELECT c.id, s.answer, s.counter, s.usedAt
      FROM signature s JOIN credential c ON lower(c.aaid) = lower(s.aaid) AND c.keyID = s.keyID
      WHERE c.username = s.username AND c.revokedAt IS NULL
        AND (c.blockedUntil IS NULL OR c.blockedUntil <= s.usedAt)
        AND (c.signCounter < s.counter OR (c.signCounter = 0 AND s.counter = 0))
      ORDER BY c.id FOR NO KEY UPDATE OF c
    ), whole AS (
      SELECT a.number, a.hash, a.expiresAt FROM answer a
      WHERE (SELECT count(*) FROM locked l WHERE l.answer = a.number)
        = (SELECT count(*) FROM signature s WHERE s.answer = a.number)
    ), used AS (
      INSERT INTO usedChallenge (hash, expiresAt) SELECT hash, \(UsedChallengeTable.keptUntil) FROM whole ORDER BY hash
      ON CONFLICT DO NOTHING RETURNING hash
    ), stored AS (
      SELECT w.number FROM whole w JOIN used u ON u.hash = w.hash
    ), raised AS (
      UPDATE credential c SET signCounter = l.counter, lastUsedAt = l.usedAt
      FROM locked l JOIN stored s ON s.number = l.answer WHERE c.id = l.id
    )
    """
}

/// Commits the verified answers of several callers together.
final class AnswerCommitter: Sendable {
  private let pool: ConnectionPool
  private let queue: BatchQueue<VerifiedResponse, Void>
  private let forgetting = OncePerSecond()
  private let progress = ForgettingProgress()

  /// Makes a committer.
  ///
  /// - Parameters:
  ///   - mostCommits: how many commits may run at the same time. A commit locks the end of the audit's chain until it is
  ///     durable, and a second commit waits for that lock. A second one still helps while the first has not reached that lock,
  ///     because it waits for the lock of an account.
  ///   - now: a monotonic clock.
  init(pool: ConnectionPool, mostCommits: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.pool = pool
    queue = BatchQueue(mostWorkers: mostCommits, now: now)
  }

  /// Stores an answer; returns when it is durable.
  ///
  /// - Throws: ``ServiceRefusal``; ``PostgreSQLError``. After ``PostgreSQLError/interrupted`` the answer may be stored or not.
  func store(_ answer: VerifiedResponse) async throws {
    try await queue.add(answer) { [self] in startWriting() }
  }

  private func startWriting() {
    pool.submit { [self] connection in
      var now: Int64?
      let mustGoOn = queue.workBatch { batch in
        do {
          let transaction = AnswerTransaction(connection: try connection.get())
          now = batch.last?.now
          return transaction.store(batch)
        } catch {
          return batch.map { _ in .failure(error) }
        }
      }
      if let now, forgetting.isDue(at: now), let connection = try? connection.get(), connection.isOpen {
        forgetExpired(connection, now: now)
      }
      return mustGoOn
    }
  }

  /// Forgets expired challenges, after the callers have received their outcomes.
  private func forgetExpired(_ connection: Connection, now: Int64) {
    do {
      try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      let end = try UsedChallengeTable(connection: connection).forgetExpired(from: progress.start(at: now))
      try connection.commit()
      progress.reached(end)
    } catch {
      // A failure is ignored: it is tried again a second later, and the answers are already stored.
      connection.rollback()
    }
  }
}
