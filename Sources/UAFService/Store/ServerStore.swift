/// What the server remembers: accounts, keys, open requests, codes, confirmed texts.
///
/// The service asks for transactions, and for nothing of an engine: no SQL, no rows, no connections. What every store promises:
///
/// - **Whole**: what a transaction changes is stored together, or not at all.
/// - **Durable**: ``write(_:)`` returns when its changes survive a power cut, not before.
/// - **Once**: of several transactions that take the same challenge, use the same proof or raise the same counter to the same
///   value, one succeeds, and the others see that. How transactions are isolated otherwise is for the store to decide.
/// - **No false success**: if the outcome of a commit is not known, the call throws.
///
/// A store may commit the transactions of several callers together, and may repeat one that conflicts with another. So a body
/// changes nothing but the store, and may run more than once. If it throws, its own changes are undone, and no others.
package protocol ServerStore: Sendable {
  /// Reads in one transaction, which sees one state of the store from its beginning to its end.
  ///
  /// A change in `body` fails.
  ///
  /// - Throws: what `body` throws; ``StoreFailure`` if the store failed; `CancellationError` if the caller's task was cancelled.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value

  /// Reads and changes in one transaction.
  ///
  /// - Throws: what `body` throws, and then nothing is stored; ``StoreFailure`` if the store failed; `CancellationError` if the
  ///   caller's task was cancelled. After the last two it is not known whether anything was stored, so the answer must
  ///   not be a success.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value

  /// Reads what each login needs: the keys of an account for an AppID, and whether a challenge was used.
  ///
  /// As ``read(_:)`` with ``Credentials/keys(of:appID:)`` and ``UsedChallenges/contains(_:)``, and quicker.
  ///
  /// - Parameter challenge: nil where none is asked for.
  /// - Throws: as ``read(_:)``.
  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords

  /// Stores a verified answer in one durable commit, alone or together with others.
  ///
  /// The store checks again what may have changed since the answer was verified.
  ///
  /// - Throws: ``StoreFailure`` if the store failed. Then it is not known whether anything was stored, so the answer must not be
  ///   a success.
  func store(_ answer: VerifiedAnswer) async throws -> AnswerOutcome
}
