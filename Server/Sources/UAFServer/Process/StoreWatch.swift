import Logging
import ServiceLifecycle
import Synchronization
import UAFService

/// Watches whether the store responds, and logs when it stops and when it is back: one line each, not one for each request.
///
/// It checks once a second. So reading ``isReady`` costs nothing, however often strangers cause that.
final class StoreWatch: Service {
  private struct State {
    var isReady = false
    /// The number of the audit's last row at the last check.
    var lastRow: Int64 = 0
    /// Whether a failure was logged, but its end was not.
    var hasFailed = false
    /// When the running check began; nil if none is running.
    var lookingSince: Int64?
  }

  /// How many seconds a check may take before the store counts as down.
  static let patience: Int64 = 3

  private let store: any ServerStore
  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Makes a watch that has not checked yet.
  ///
  /// - Parameter now: seconds since 1970.
  init(_ store: any ServerStore, logger: Logger, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.logger = logger
    self.now = now
  }

  /// Whether the store responded to the last check, and is not late for the running one.
  var isReady: Bool {
    let now = now()
    return state.withLock { $0.isReady && now - ($0.lookingSince ?? now) < Self.patience }
  }

  /// The number of the audit's last row at the last check.
  var lastRow: Int64 { state.withLock { $0.lastRow } }

  /// Records that an operation on the store has failed.
  func failed(_ error: any StoreFailure) {
    let isFirst = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isFirst { logger.error("store-failed", metadata: ["error": "\(error.logName)", "text": "\(error.text)"]) }
  }

  /// Checks until the server stops.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.look()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Checks once, by reading.
  ///
  /// After a failure it also writes, because on a full disk only writing fails.
  func look() async {
    let began = now()
    state.withLock { $0.lookingSince = began }
    let isRead = await attempt { store in
      let (last, move) = try await store.read { records in
        (try records.audit.last().number, try records.settings.value(of: .movedTo))
      }
      guard move == nil else { throw MovedStore() }
      // Logins may use connections of their own, so these are checked too.
      _ = try await store.login(of: "", appID: "", challenge: nil)
      state.withLock { $0.lastRow = last }
    }
    let hasFailed = state.withLock { state in
      state.isReady = isRead
      state.lookingSince = nil
      return state.hasFailed
    }
    guard isRead, hasFailed, await attempt({ try await $0.write(Self.rewrite) }) else { return }
    state.withLock { $0.hasFailed = false }
    logger.notice("store-back")
  }

  /// Writes a value without changing it: the id of the decoy secret, which `serve` stored when it started.
  @Sendable private static func rewrite(_ records: any StoreTransaction) throws {
    guard let id = try records.settings.value(of: .decoySecret) else { return }
    try records.settings.set(.decoySecret, to: id)
  }

  /// Runs an operation on the store, and returns whether it succeeded.
  private func attempt(_ ask: (any ServerStore) async throws -> Void) async -> Bool {
    do {
      try await ask(store)
      return true
    } catch {
      if let error = error as? any StoreFailure { failed(error) }
      return false
    }
  }
}

/// Watches the store for joined machines that have left or were revoked, also at other servers or on the command line.
///
/// It checks once a second, so that no login has to. Two seconds after a machine has left, no server knows it any longer.
struct DepartureFollower: Service {
  let departed: DepartedMachines
  let store: any ServerStore
  let keys: ServerKeys

  /// Reads all departed machines before the server listens.
  ///
  /// - Throws: `StoreFailure`; `CryptoError`.
  func prepare() async throws {
    try await departed.renew(from: store, keys: keys)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // Failures are ignored: while the store is down, a machine that has left only keeps its budget for requests, which are
        // refused anyway.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}

/// Watches the store for the workstation policy that was saved last, also at other servers or on the command line.
///
/// It checks once a second, so that no login has to. A second after a policy was saved, answers to logins contain its number.
struct MachinePolicyFollower: Service {
  let policies: any MachinePolicies

  /// Reads the number of the last policy before the server listens.
  ///
  /// - Throws: `StoreFailure`.
  func prepare() async throws { try await policies.renew() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // Failures are ignored: while the store is down, no policy is saved or given to machines.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}

/// Refuses a decoy secret other than the one with which the store was used before: unknown names would get different decoys.
enum DecoySecretCheck {
  /// Compares the id of the secret with the one in the store.
  ///
  /// If the store has none, it is stored.
  ///
  /// The usual reason for a different secret is a second server to which the administrator has not copied `decoy.secret`.
  ///
  /// - Parameter allowsNew: whether a different secret is accepted, and recorded in the audit.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``StoreFailure``.
  static func run(
    _ secret: ServerSecret, of store: any ServerStore, _ directory: ServerDirectory, allowsNew: Bool
  ) async throws {
    let known = try await store.read { try $0.settings.value(of: .decoySecret) }
    guard known != secret.id else { return }
    guard known == nil || allowsNew else {
      throw ServerError.unusableFile(
        path: directory.decoySecretPath,
        reason:
          "differs from the secret with which this store was used: copy it from the other server or from a "
          + "backup; if it is lost, start once with --new-decoys; then anybody who compares "
          + "can recognise made-up names"
      )
    }
    try await store.write { [id = secret.id] records in
      try records.settings.set(.decoySecret, to: id)
      guard known != nil else { return }
      try records.audit.append([ServerEvents.command(.decoysReplaced, now: Terminal.now)])
    }
  }
}
