import Logging
import ServiceLifecycle
import Synchronization
import UAFService

/// Writes what the server says of itself into the audit, and signs its end: at the start, every minute, and when it stops.
final class AuditKeeper: Service {
  private struct State {
    /// What was signed last.
    var last: AuditLink?
    /// Rows that could not be written yet.
    var waiting: [AuditEntry] = []
  }

  private let store: any ServerStore
  private let signer: AuditSigner
  private let files: AuditHeadFiles
  private let refusals: RefusalCount
  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  /// Makes one that has written nothing yet.
  ///
  /// - Parameters:
  ///   - published: the keys of all heads that were ever signed.
  ///   - start: the row that says that the server has started.
  ///   - last: what was signed last, as the state folder has it.
  ///   - now: seconds since 1970.
  init(
    store: any ServerStore, keys: ServerKeys, published: AuditHeadKeys, files: AuditHeadFiles, refusals: RefusalCount,
    start: AuditEntry, last: AuditLink?, logger: Logger, now: @escaping @Sendable () -> Int64
  ) {
    self.store = store
    signer = AuditSigner(store: store, keys: keys, published: published, now: now)
    self.files = files
    self.refusals = refusals
    self.logger = logger
    self.now = now
    state = Mutex(State(last: last, waiting: [start]))
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.round()
        try? await Task.sleep(for: .seconds(60))
      }
    }
    state.withLock { $0.waiting.append(ServerEvents.stop(now: now())) }
    // Also where the server has no time left and cancels what goes on: the row is written, or given up with the process.
    await Task { await round() }.value
  }

  /// Writes the rows that wait and the count of refusals, and signs the end of the audit.
  ///
  /// If the store fails, the next round tries again; the log says so once a round.
  func round() async {
    do {
      try await write()
      let last = state.withLock { $0.last }
      do {
        keep(try await signer.sign(after: last))
      } catch let refusal as AuditSigner.Refusal {
        try await goOn(after: refusal)
      }
    } catch let error as any StoreFailure {
      logger.error("audit-not-written", metadata: ["error": "\(error.logName)", "text": "\(error.text)"])
    } catch {
      logger.error("audit-not-written", metadata: ["error": "\(type(of: error))"])
    }
    // Also where nothing was signed: heads of earlier rounds may wait for a disk that was full.
    do throws(ServerError) {
      try files.write()
    } catch {
      logger.error("audit-not-written", metadata: ["error": "\(error)"])
    }
  }

  private func write() async throws {
    let events = state.withLock { state in
      if let event = refusals.take(now: now()) { state.waiting.append(event) }
      return state.waiting
    }
    guard !events.isEmpty else { return }
    try await store.write { try $0.audit.append(events) }
    state.withLock { $0.waiting.removeFirst(events.count) }
  }

  /// Signs what comes from now on all the same, with a row that says what was found.
  private func goOn(after refusal: AuditSigner.Refusal) async throws {
    let event = ServerEvents.broken(refusal, now: now())
    logger.critical("audit-broken", metadata: ["row": "\(refusal.number)"])
    // It is told once: what is signed next is what the next round begins with.
    state.withLock { state in
      state.waiting.append(event)
      state.last = nil
    }
    try await write()
    keep(try await signer.signAfterRefusal())
  }

  private func keep(_ signed: (head: StoredHead, link: AuditLink)?) {
    guard let signed else { return }
    state.withLock { $0.last = signed.link }
    logger.notice("audit-head", metadata: ["number": "\(signed.link.number)", "head": "\(signed.head.token)"])
    files.add(signed.head)
  }
}
