import Synchronization

@testable import ServerTesting
@testable import UAFService

/// A store in which something else happens before a write transaction begins, as if the transaction had waited for it.
final class WaitingStore: ServerStore {
  private let store: any ServerStore
  private let count = Mutex(0)
  private let before: @Sendable (_ number: Int, any ServerStore) async throws -> Void

  /// - Parameter before: receives the number of the transaction, from 1 on, and the store itself.
  init(_ store: any ServerStore, before: @escaping @Sendable (Int, any ServerStore) async throws -> Void) {
    self.store = store
    self.before = before
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await store.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    let number = count.withLock { count in
      count += 1
      return count
    }
    try await before(number, store)
    return try await store.write(body)
  }

  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords {
    try await store.login(of: username, appID: appID, challenge: challenge)
  }

  func store(_ answer: VerifiedResponse) async throws { try await store.store(answer) }
}
