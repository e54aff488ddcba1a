import Synchronization

@testable import UAFService

/// A store that counts the transactions that write.
final class WriteCounter: ServerStore {
  private let store: any ServerStore
  private let count = Mutex(0)

  init(_ store: any ServerStore) { self.store = store }

  var writes: Int { count.withLock { $0 } }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await store.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    count.withLock { $0 += 1 }
    return try await store.write(body)
  }

  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords {
    try await store.login(of: username, appID: appID, challenge: challenge)
  }

  func store(_ answer: VerifiedResponse) async throws { try await store.store(answer) }
}
