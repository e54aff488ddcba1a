import Synchronization
import UAFService

/// A store that fails, or does not answer, as the test says.
final class FailingStore: ServerStore {
  struct Failure: StoreFailure {
    let logName = "test-1"
    let text = "no space left"
  }

  enum What { case nothing, writes, logins, everything }

  private struct State {
    var what = What.nothing
    var uses = 0
    var hangs = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watcher: CheckedContinuation<Void, Never>?
  }

  private let store: any ServerStore
  private let state = Mutex(State())

  init(_ store: any ServerStore) { self.store = store }

  /// How often the store was used.
  var uses: Int { state.withLock { $0.uses } }

  func fails(_ what: What) { state.withLock { $0.what = what } }

  func hangs(_ hangs: Bool) {
    let waiting = state.withLock { state in
      state.hangs = hangs
      defer { state.waiting = [] }
      return state.waiting
    }
    for each in waiting { each.resume() }
  }

  /// Returns once somebody waits for the store.
  func isAsked() async {
    await withCheckedContinuation { watcher in
      let isThere = state.withLock { state in
        if state.waiting.isEmpty { state.watcher = watcher }
        return !state.waiting.isEmpty
      }
      if isThere { watcher.resume() }
    }
  }

  /// - Parameter what: the failure, apart from that of everything, that makes this use fail.
  private func use(_ what: What = .nothing) async throws {
    let fails = state.withLock { state in
      state.uses += 1
      return state.what == .everything || state.what != .nothing && state.what == what
    }
    if fails { throw Failure() }
    guard state.withLock({ $0.hangs }) else { return }
    await withCheckedContinuation { waiting in
      let watcher = state.withLock { state in
        state.waiting.append(waiting)
        defer { state.watcher = nil }
        return state.watcher
      }
      watcher?.resume()
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await use()
    return try await store.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await use(.writes)
    return try await store.write(body)
  }

  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords {
    try await use(.logins)
    return try await store.login(of: username, appID: appID, challenge: challenge)
  }

  func store(_ answer: VerifiedResponse) async throws {
    try await use(.writes)
    return try await store.store(answer)
  }
}
