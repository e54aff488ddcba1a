import Logging
import ServiceLifecycle
import Synchronization
import UAFService

/// Writes the server's own rows into the audit, and signs the end of the audit: when the server starts, every minute, and when
/// it stops.
///
/// If it could not sign for too long, it records that in a row, which it signs as soon as it can sign again.
final class AuditKeeper: Service {
  private struct State {
    /// The row that was signed last; nil if none was.
    var last: AuditLink?
    /// Rows that are not written yet.
    var waiting: [AuditEntry] = []
    /// Whether this process has found out since when the audit has been unsigned.
    var hasBegun = false
    var isStopping = false
  }

  private let store: any ServerStore
  private let signer: AuditSigner
  private let files: AuditHeadFiles
  private let refusals: RefusalCount
  private let standing: AuditStanding
  private let moments: SignedMomentFile
  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  /// Makes a keeper that has written nothing yet.
  ///
  /// - Parameters:
  ///   - published: the keys of all heads that were ever signed.
  ///   - start: the row that records the start of the server.
  ///   - last: the last signed head, from the state folder.
  ///   - standing: is told whenever the whole audit is signed; until the first time, it counts from now on.
  ///   - now: seconds since 1970.
  init(
    store: any ServerStore, keys: ServerKeys, published: AuditHeadKeys, files: AuditHeadFiles, refusals: RefusalCount,
    start: AuditEntry, last: AuditLink?, standing: AuditStanding, logger: Logger,
    now: @escaping @Sendable () -> Int64
  ) {
    self.store = store
    signer = AuditSigner(store: store, keys: keys, published: published, now: now)
    self.files = files
    self.refusals = refusals
    self.standing = standing
    moments = SignedMomentFile(of: files.state)
    self.logger = logger
    self.now = now
    state = Mutex(State(last: last, waiting: [start]))
    standing.note(SignedMoment(link: last ?? .start, time: now()))
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.round()
        try? await Task.sleep(for: .seconds(60))
      }
    }
    state.withLock { state in
      state.waiting.append(ServerEvents.stop(now: now()))
      state.isStopping = true
    }
    // In a task of its own, so that the last round is not cancelled when the server's time to stop is over.
    await Task { await round() }.value
  }

  /// Writes the waiting rows and the count of refusals, and signs the end of the audit.
  ///
  /// If the store fails, the failure is logged, and the next round tries again.
  func round() async {
    do {
      try await begin()
      try await write()
      try await sign()
      try await tellGap()
      try await noteSigned()
    } catch let error as any StoreFailure {
      logger.error("audit-not-written", metadata: ["error": "\(error.logName)", "text": "\(error.text)"])
    } catch AuditSigner.NotKept.head(let number) {
      logger.critical("audit-head-dropped", metadata: ["row": "\(number)"])
    } catch AuditSigner.NotKept.row(let number) {
      logger.critical("audit-row-dropped", metadata: ["after": "\(number)"])
    } catch {
      logger.error(
        "audit-not-written", metadata: ["error": "\((error as? ServerError)?.description ?? "\(type(of: error))")"])
    }
    // This is done even if nothing was signed: heads of earlier rounds may still wait because a disk was full.
    do throws(ServerError) {
      try files.write()
    } catch {
      logger.error("audit-not-written", metadata: ["error": "\(error)"])
    }
  }

  /// Finds out, once, since when the audit has been unsigned.
  ///
  /// This must happen before the first row of this process is signed.
  private func begin() async throws {
    guard !state.withLock({ $0.hasBegun }) else { return }
    standing.note(try await signer.beginning(after: try moments.read()))
    state.withLock { $0.hasBegun = true }
  }

  private func sign() async throws {
    let last = state.withLock { $0.last }
    do {
      keep(try await signer.sign(after: last))
    } catch let refusal as AuditSigner.Refusal {
      try await goOn(after: refusal)
    }
  }

  /// If nothing was signed for too long, writes a row that records it, and signs that row.
  ///
  /// The gap lasts until that row is signed.
  private func tellGap() async throws {
    guard let moment = standing.moment, standing.isOverdue(at: now()),
      let gap = try await signer.gap(since: moment)
    else { return }
    logger.critical("audit-unsigned", metadata: ["after": "\(gap.after)", "seconds": "\(gap.seconds)"])
    let row = gap.row(of: ServerEvents.host, now: now())
    try await store.write { try $0.audit.append([row]) }
    try await sign()
    // The database may have silently discarded the row.
    let isSigned = try await store.read { records in
      try records.audit.rows(AuditFilter(after: gap.through, kind: .unsigned), limit: 1).first?.event == row
    }
    guard isSigned else { throw AuditSigner.NotKept.row(after: gap.through) }
  }

  /// Records, in memory and in the state folder, that the whole audit is signed now.
  private func noteSigned() async throws {
    let isStopping = state.withLock { $0.isStopping }
    let moment = SignedMoment(link: try await signer.signedEnd(), time: now(), isStopped: isStopping)
    standing.note(moment)
    try moments.write(moment)
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

  /// Continues to sign after a refusal, with a row that records what was found.
  private func goOn(after refusal: AuditSigner.Refusal) async throws {
    let event = ServerEvents.broken(refusal, now: now())
    logger.critical("audit-broken", metadata: ["row": "\(refusal.number)"])
    // The fault is reported only once: from now on rows are compared with the next head, not with the lost one.
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
