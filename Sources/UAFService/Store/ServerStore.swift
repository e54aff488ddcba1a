/// What the server remembers: accounts, keys, open requests, codes, confirmed texts.
///
/// The service asks for transactions, and for nothing of an engine: no SQL, no rows, no connections. What every store promises:
///
/// - **Whole**: what a transaction changes is stored together, or not at all.
/// - **Durable**: ``write(_:)`` returns when its changes survive a power cut, not before.
/// - **Once**: of several transactions that take the same challenge, use the same proof or raise the same counter, one succeeds;
///   the others see that it did. How transactions are kept apart otherwise is the store's matter.
/// - **No false yes**: where the outcome of a commit is not known, the call throws.
///
/// So that a store can commit the transactions of several callers together, and repeat one that another came in between of, a
/// transaction's body changes nothing but the store, and may be run more than once. A body that throws is undone alone.
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
  /// - Throws: what `body` throws, and nothing is stored then; ``StoreFailure`` if the store failed, and `CancellationError` if the
  ///   caller's task was cancelled: whether anything was stored is not known then, and the answer must not be yes.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value

  /// Asks the store for a sign of life.
  ///
  /// - Throws: if it does not answer.
  func check() async throws
}
