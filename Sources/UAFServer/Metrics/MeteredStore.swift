import UAFService

/// A store that counts how long each use of another one took, how many are under way, and how many failed.
struct MeteredStore: ServerStore {
  let store: any ServerStore
  let metrics: StoreMetrics

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
    try await metrics.measure(.read) { try await store.read(body) }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await metrics.measure(.write) { try await store.write(body) }
  }

  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords {
    try await metrics.measure(.login) {
      try await store.login(of: username, appID: appID, challenge: challenge)
    }
  }

  func store(_ answer: VerifiedAnswer) async throws -> AnswerOutcome {
    try await metrics.measure(.answer) { try await store.store(answer) }
  }
}
