import Logging
import ServiceLifecycle
import Synchronization
import UAFService

/// Knows whether the store answers, and tells the log when it stops and when it is back: one line each, not one for each request.
///
/// It looks once a second. So ``isReady`` costs nothing, however often strangers ask.
final class StoreWatch: Service {
  private struct State {
    var isReady = false
    /// The number of the audit's last row, as it was seen last.
    var lastRow: Int64 = 0
    /// Whether a failure was told and its end was not.
    var hasFailed = false
    /// When the look under way began; nil if none is.
    var lookingSince: Int64?
  }

  /// Seconds that a look may take before the store counts as gone.
  static let patience: Int64 = 3

  private let store: any ServerStore
  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Makes one that has not looked yet.
  ///
  /// - Parameter now: seconds since 1970.
  init(_ store: any ServerStore, logger: Logger, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.logger = logger
    self.now = now
  }

  /// Whether the store answered the last look, and does not let the look under way wait.
  var isReady: Bool {
    let now = now()
    return state.withLock { $0.isReady && now - ($0.lookingSince ?? now) < Self.patience }
  }

  /// The number of the audit's last row, as the last look has seen it.
  var lastRow: Int64 { state.withLock { $0.lastRow } }

  /// Notes that the store has failed somebody.
  func failed(_ error: any StoreFailure) {
    let isFirst = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isFirst { logger.error("store-failed", metadata: ["error": "\(error.logName)", "text": "\(error.text)"]) }
  }

  /// Looks until the server stops.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.look()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Looks once: reads; and writes if something has failed, since on a full disk only that fails.
  func look() async {
    let began = now()
    state.withLock { $0.lookingSince = began }
    let isRead = await attempt { store in
      let (last, move) = try await store.read { records in
        (try records.audit.last().number, try records.settings.value(of: .movedTo))
      }
      guard move == nil else { throw MovedStore() }
      // Logins may have connections of their own.
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

  /// Writes what is there: the id that `serve` stored before it served.
  @Sendable private static func rewrite(_ records: any StoreTransaction) throws {
    guard let id = try records.settings.value(of: .decoySecret) else { return }
    try records.settings.set(.decoySecret, to: id)
  }

  /// Whether the store answers.
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

/// Follows which joined machines have left or were revoked, also at other servers and by the command line.
///
/// It looks once a second, so that no login waits for it. A machine is an unknown one at all servers two seconds after it left.
struct DepartureFollower: Service {
  let departed: DepartedMachines
  let store: any ServerStore
  let keys: ServerKeys

  /// Learns of all of them before the server listens.
  ///
  /// - Throws: `StoreFailure`; `CryptoError`.
  func prepare() async throws {
    try await departed.renew(from: store, keys: keys)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // While the store is away, a joined machine has its place in the queue of what is refused anyway.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}

/// Follows which policy for workstations was saved last, also at other servers and by the command line.
///
/// It looks once a second, so that no login waits for it. The answer to a login a second after a policy was saved has its number.
struct MachinePolicyFollower: Service {
  let policies: any MachinePolicies

  /// Learns of the last one before the server listens.
  ///
  /// - Throws: `StoreFailure`.
  func prepare() async throws { try await policies.renew() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // While the store is away no policy is saved or handed over.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}

/// Refuses another secret of decoys than the store was used with, since names that nobody has would get other keys.
enum DecoySecretCheck {
  /// Compares the secret with the one that the store knows; the first one becomes that.
  ///
  /// The usual reason for another one is a second server whose administrator has not given it the file.
  ///
  /// - Parameter allowsNew: takes another one, and says so in the audit.
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
          "is another one than this store was used with: copy it from the other server or from a backup; if it is "
          + "lost, start once with --new-decoys, and whoever compares can tell the names that nobody has")
    }
    try await store.write { [id = secret.id] records in
      try records.settings.set(.decoySecret, to: id)
      guard known != nil else { return }
      try records.audit.append([ServerEvents.command(.decoysReplaced, now: Terminal.now)])
    }
  }
}
