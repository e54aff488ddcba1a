import Logging
import ServiceLifecycle
import Synchronization
import UAFService

/// Knows whether the store answers, and logs when it stops and when it is back: one line each, not one for each request.
///
/// It checks once a second. So ``isReady`` costs nothing, however often strangers ask.
final class StoreWatch: Service {
  private struct State {
    var isReady = false
    /// The number of the audit's last row, as it was seen last.
    var lastRow: Int64 = 0
    /// Whether a failure was logged and its end was not.
    var hasFailed = false
    /// When the running check began; nil if none is running.
    var lookingSince: Int64?
  }

  /// Seconds that a check may take before the store counts as gone.
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

  /// Whether the store answered the last check, and does not delay the running one.
  var isReady: Bool {
    let now = now()
    return state.withLock { $0.isReady && now - ($0.lookingSince ?? now) < Self.patience }
  }

  /// The number of the audit's last row, as the last check saw it.
  var lastRow: Int64 { state.withLock { $0.lastRow } }

  /// Records that the store has failed for somebody.
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

  /// Checks once: reads; and writes if something has failed, because on a full disk only writing fails.
  func look() async {
    let began = now()
    state.withLock { $0.lookingSince = began }
    let isRead = await attempt { store in
      let (last, move) = try await store.read { records in
        (try records.audit.last().number, try records.settings.value(of: .movedTo))
      }
      guard move == nil else { throw MovedStore() }
      // Logins may have their own connections.
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

  /// Writes a value that is already there: the id that `serve` stored before it started.
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

/// Follows which joined machines have left or were revoked, even at other servers and by the command line.
///
/// It checks once a second, so that no login waits for it. A machine is unknown at all servers two seconds after it left.
struct DepartureFollower: Service {
  let departed: DepartedMachines
  let store: any ServerStore
  let keys: ServerKeys

  /// Learns about all of them before the server listens.
  ///
  /// - Throws: `StoreFailure`; `CryptoError`.
  func prepare() async throws {
    try await departed.renew(from: store, keys: keys)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // While the store is away, a joined machine keeps its budget for requests that are refused anyway.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}

/// Follows which policy for workstations was saved last, even at other servers and by the command line.
///
/// It checks once a second, so that no login waits for it. A second after a policy was saved, the answer to a login contains
/// its number.
struct MachinePolicyFollower: Service {
  let policies: any MachinePolicies

  /// Learns about the last one before the server listens.
  ///
  /// - Throws: `StoreFailure`.
  func prepare() async throws { try await policies.renew() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // While the store is away no policy is saved or handed out.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}

/// Refuses a decoy secret other than the one the store was used with, because unknown names would get different keys.
enum DecoySecretCheck {
  /// Compares the secret with the one that the store knows; the store keeps the first one.
  ///
  /// The usual reason for a different secret is a second server whose administrator has not given it the file.
  ///
  /// - Parameter allowsNew: accepts a different secret, and records that in the audit.
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
