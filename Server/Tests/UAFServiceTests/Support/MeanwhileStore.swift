import Synchronization

@testable import UAFService

/// A store that runs a closure once, after its first read transaction.
final class MeanwhileStore: ServerStore {
  private let store: any ServerStore
  private let work: @Sendable () async throws -> Void
  private let reads = Mutex(0)

  init(_ store: any ServerStore, _ work: @escaping @Sendable () async throws -> Void) {
    self.store = store
    self.work = work
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    let value = try await store.read(body)
    let isFirst = reads.withLock { reads in
      reads += 1
      return reads == 1
    }
    if isFirst { try await work() }
    return value
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await store.write(body)
  }

  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords {
    try await store.login(of: username, appID: appID, challenge: challenge)
  }

  func store(_ answer: VerifiedResponse) async throws { try await store.store(answer) }
}
