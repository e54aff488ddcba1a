import Synchronization
import UAFMessages

/// What the server remembers: accounts, keys, open requests, codes, confirmed texts.
///
/// The service uses transactions and nothing of an engine: no SQL, no rows, no connections. Every store promises:
///
/// - **Atomic**: all changes of a transaction are stored together, or none.
/// - **Durable**: ``write(_:)`` returns when its changes survive a power cut, not before.
/// - **Once**: if several transactions use the same challenge, use the same proof or raise the same counter to the same value,
///   one succeeds, and the others see that. The store decides how transactions are isolated otherwise.
/// - **No false success**: if the outcome of a commit is not known, the call throws.
///
/// A store may commit the transactions of several callers together, and may repeat one that conflicts with a different one. So
/// a body changes nothing but the store, and may run more than once. If it throws, its own changes are undone, and no others.
package protocol ServerStore: Sendable {
  /// Reads in one transaction, which sees one state of the store from its beginning to its end.
  ///
  /// A change in `body` fails.
  ///
  /// - Throws: the errors of `body`; ``StoreFailure`` if the store failed; `CancellationError` if the caller's task was
  ///   cancelled.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value

  /// Reads and changes in one transaction.
  ///
  /// - Throws: the errors of `body`, and then nothing is stored; ``StoreFailure`` if the store failed; `CancellationError` if
  ///   the caller's task was cancelled. After the last two it is not known whether anything was stored, so the answer must not
  ///   be a success.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value

  /// Reads the records of a login: the keys of an account for an AppID, and whether a challenge was used.
  ///
  /// Like ``read(_:)`` with ``Credentials/keys(of:appID:)`` and ``UsedChallenges/contains(_:)``, but faster.
  ///
  /// - Parameter challenge: nil if there is none to check.
  /// - Throws: like ``read(_:)``.
  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords

  /// Stores a verified answer in one durable commit, alone or together with others; returns when that has happened.
  ///
  /// The store checks again what may have changed since the answer was verified.
  ///
  /// - Throws: ``ServiceRefusal``, and then nothing is stored: the challenge was answered before, the counter did not increase,
  ///   the account is blocked, or the approval's text is no longer reserved by this challenge. ``StoreFailure`` if the store
  ///   failed; then it is not known whether anything was stored, so the answer must not be a success.
  func store(_ answer: VerifiedResponse) async throws
}

/// The store's records of an account and a challenge at one moment.
package struct LoginRecords: Sendable {
  /// Whether the challenge was answered with success before; false if none was given.
  package let isUsed: Bool
  /// The keys of the account, oldest first, revoked ones included.
  package let keys: [StoredKey]

  package init(isUsed: Bool, keys: [StoredKey]) {
    self.isUsed = isUsed
    self.keys = keys
  }
}

/// The server's record of a registered key, with which it verifies a signature.
package struct StoredKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// 65 bytes of a curve's point, or an RSA key's SubjectPublicKeyInfo.
  package let publicKey: [UInt8]
  package let signatureAlgorithm: UInt16
  package let signCounter: UInt32
  package let isRevoked: Bool
  /// The machine that it was registered on; nil if the client named none.
  package var deviceID: String?
  /// The name of that machine; nil if it has none.
  package var deviceName: String?

  package init(
    aaid: AAID, keyID: KeyID, publicKey: [UInt8], signatureAlgorithm: UInt16, signCounter: UInt32, isRevoked: Bool,
    deviceID: String? = nil, deviceName: String? = nil
  ) {
    self.aaid = aaid
    self.keyID = keyID
    self.publicKey = publicKey
    self.signatureAlgorithm = signatureAlgorithm
    self.signCounter = signCounter
    self.isRevoked = isRevoked
    self.deviceID = deviceID
    self.deviceName = deviceName
  }
}

/// The record of a verified answer to a request for an authentication: a store keeps all of it in one commit, or nothing.
package struct VerifiedResponse: Sendable {
  package let username: String
  /// ``IssuedChallenge/hash`` of the challenge, which becomes used.
  package let challengeHash: [UInt8]
  /// When the request would have expired, in seconds since 1970; the used challenge can be forgotten then.
  package let expiresAt: Int64
  /// The signatures, whose counters are raised.
  package let signatures: [VerifiedAuthentication]
  /// The confirmed text, once for each signature.
  package let confirmedTexts: [ConfirmedText]
  /// The approval whose text was confirmed.
  package let approvalID: Int64?
  /// Seconds since 1970.
  package let now: Int64
  /// Where it came from, for the audit; empty if that is not known.
  var address = ""
  /// The machine of the keys, for the audit.
  var machine = ""
  /// The detail of the row of the audit, as JSON.
  var detail = ""

  /// The challenge, which becomes used.
  package var challenge: IssuedChallenge { IssuedChallenge(hash: challengeHash, expiresAt: expiresAt) }

  /// The row of the audit that is stored with it.
  package var event: AuditEntry {
    let authenticators = signatures.map { "\($0.aaid.text) \($0.keyID.text) \($0.signCounter)" }
    return AuditEntry(
      time: now, kind: approvalID == nil && confirmedTexts.isEmpty ? .login : .confirmation, account: username,
      actor: .person, address: address, machine: machine, authenticators: authenticators.joined(separator: ", "),
      detail: detail)
  }

  /// Why it was not stored although its challenge was not used before.
  ///
  /// A different signature with the same or a higher counter was faster, or the key was revoked or removed, unless the account
  /// is blocked.
  ///
  /// - Parameter block: how its account is blocked.
  package func refusal(by block: AccountBlock?) -> ServiceRefusal {
    block?.refusal(at: now) ?? .counterNotIncreased
  }
}

/// One transaction of a ``ServerStore``: its records, by subject.
///
/// It is valid only inside the body it was given to.
package protocol StoreTransaction {
  var accessTokens: any AccessTokens { get }
  var accounts: any Accounts { get }
  var administrators: any Administrators { get }
  var approvals: any Approvals { get }
  var audit: any AuditTrail { get }
  var auditDeliveries: any AuditDeliveries { get }
  var confirmedTexts: any ConfirmedTexts { get }
  var consoleSessions: any ConsoleSessions { get }
  var contents: any StoreContents { get }
  var credentials: any Credentials { get }
  var enrolments: any Enrolments { get }
  var issuedCodes: any IssuedCodes { get }
  var joinCodes: any JoinCodes { get }
  var joinedMachines: any JoinedMachines { get }
  var machinePolicies: any SavedMachinePolicies { get }
  var machines: any Machines { get }
  var openRegistrations: any OpenRegistrations { get }
  var policyVersions: any PolicyVersions { get }
  var repeatableRequests: any RepeatableRequests { get }
  var settings: any Settings { get }
  var usedChallenges: any UsedChallenges { get }
  var usedProofs: any UsedProofs { get }
  var wrongAnswers: any WrongAnswers { get }

  /// Makes changes that can be undone alone, while the transaction continues.
  ///
  /// - Parameter changes: returns whether its changes are kept. If it returns false or throws, they are undone.
  func keeping(if changes: () throws -> Bool) throws
}

extension StoreTransaction {
  /// Whether an administrator can sign in to the console: one that is not blocked, with a key that counts there.
  ///
  /// - Parameters:
  ///   - name: an administrator who is left out.
  ///   - policies: the policies that the keys must meet; nil if they are not checked.
  ///   - now: seconds since 1970.
  package func hasUsableAdministrator(
    besides name: String? = nil, meeting policies: AccountPolicies? = nil, now: Int64
  ) throws -> Bool {
    try administrators.all().contains { administrator in
      // As `Role` writes it.
      guard administrator.role == "administrator", administrator.name != name,
        try accounts.block(of: administrator.name)?.refusal(at: now) == nil
      else { return false }
      let keys = try credentials.records(of: administrator.name).filter(\.countsForSteps)
      guard let policies else { return !keys.isEmpty }
      let models = Dictionary(grouping: keys, by: \.deviceID).values.map { Set($0.map { $0.aaid.text.lowercased() }) }
      return policies.accepted(for: administrator.name)
        .areMet(by: AccountModels(username: administrator.name, machines: Array(models)))
    }
  }
}

/// Why a store is not used, although its engine works.
package enum StoreError: Error, Equatable {
  /// A later version of the server has changed its tables.
  case newer
  /// An import into it has not ended.
  case unfinished
  /// Its rows were moved to another store.
  case moved(to: String)
  /// A different process writes to it for too long.
  case busy

  /// The message to an administrator about a store that was moved away.
  package static func movedText(to place: String) -> String {
    "server.db was moved to \(place): start the server with --store and its URL, or use server.db again with "
      + "'uaf-server migrate --abandon --to URL'"
  }

  /// The same message for programs that have it open, without the new place.
  package static let movedShortText = "server.db was moved to a database: start the server with --store and its URL"

  /// The message about a store that others write to.
  package static let busyText =
    "server.db is in use by another command, such as 'migrate': run it again when that has ended"
  /// The message about an unfinished store, of either engine.
  package static let unfinishedText =
    "an import into this store did not finish: run 'uaf-server import' or 'uaf-server migrate' again, or drop the store"
}

/// A failure of the store's engine, such as a full disk or a file that is not a database.
package protocol StoreFailure: Error {
  /// The engine's name and its error code, for the log; no stored values.
  var logName: String { get }
  /// The text for the administrator.
  var text: String { get }
  /// Whether the same operation may succeed later, without anybody changing what is stored.
  var isTemporary: Bool { get }
}

extension StoreFailure {
  package var isTemporary: Bool { false }
}

/// Single values that `serve` leaves for the other commands.
package protocol Settings {
  func value(of name: SettingName) throws -> String?
  func set(_ name: SettingName, to value: String) throws
  func remove(_ name: SettingName) throws
}

/// The names of single values in the store.
package enum SettingName: String, Sendable {
  /// The base URL under which `serve` was last reached.
  case publicURL
  /// How many accounts have keys of which models: JSON of ``KeyShapes``.
  case keyShapes
  /// The id of the secret from which decoys are computed.
  case decoySecret
  /// Whether `serve` was last started with a file of policies, which overrides the stored ones: `yes` or `no`.
  case policyFile
  /// When a backup was restored, in seconds since 1970.
  case restoredAt
  /// The id of an unfinished import: the store must not be used.
  case unfinishedImport
  /// The id of the import that made this store.
  case importedAs
  /// The record of the move if the store was moved away, as ``StoreMove`` writes it: the store must not be used.
  case movedTo
}

/// Groups what several callers ask a store for into batches, each for one commit or one statement.
///
/// A durable commit waits for the disk, whether it holds one answer or 64. While the workers are busy, further callers wait,
/// and the next batch contains all of them. So the store's speed limits the time of a caller, not the number of callers.
package final class BatchQueue<Item: Sendable, Outcome: Sendable>: Sendable {
  private struct Waiting {
    let item: Item
    let caller: CheckedContinuation<Outcome, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var workers = 0
    /// When the running batches began.
    var starts: [ContinuousClock.Instant] = []
    /// Whether a task checks later whether a batch still makes others wait.
    var isWatched = false
  }

  private enum Step { case nothing, startWorker, watch }

  /// The most items of a batch: 64 verified answers are about 2 ms of work.
  private let mostTogether = 64
  /// For how long a batch may run before a second one begins at the same time.
  ///
  /// Earlier, the two would share the work and double its cost. Later, a batch that waits for a lock would delay everybody.
  private let patience = Duration.milliseconds(20)

  private let mostWorkers: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async -> Void
  private let state = Mutex(State())

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mostWorkers: how many batches may run at the same time.
  ///   - now: a clock that runs while the machine runs.
  ///   - sleep: returns after a while.
  package init(
    mostWorkers: Int, now: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    self.mostWorkers = mostWorkers
    self.now = now
    self.sleep = sleep
  }

  /// How many items wait for the next batch.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Adds an item; returns when its batch is done.
  ///
  /// A cancelled caller waits too: an answer that is being committed cannot be withdrawn.
  ///
  /// - Parameter start: starts a worker, which calls ``workBatch(_:)`` until that returns false.
  /// - Throws: the error of the batch for this item.
  package func add(_ item: Item, start: @escaping @Sendable () -> Void) async throws -> Outcome {
    try await withCheckedThrowingContinuation { caller in
      let step = state.withLock { state in
        state.waiting.append(Waiting(item: item, caller: caller))
        return nextStep(&state)
      }
      take(step, start)
    }
  }

  /// The next step for those who wait.
  private func nextStep(_ state: inout State) -> Step {
    guard state.workers < mostWorkers, !state.waiting.isEmpty else { return .nothing }
    let isStuck = state.starts.min().map { now() - $0 >= patience } ?? false
    if state.workers == 0 || isStuck {
      state.workers += 1
      return .startWorker
    }
    guard !state.isWatched else { return .nothing }
    state.isWatched = true
    return .watch
  }

  private func take(_ step: Step, _ start: @escaping @Sendable () -> Void) {
    switch step {
    case .nothing: break
    case .startWorker: start()
    case .watch: watch(start)
    }
  }

  /// Starts a second worker if a batch takes too long: perhaps no further caller comes who would notice that.
  private func watch(_ start: @escaping @Sendable () -> Void) {
    Task {
      await sleep(patience)
      let step = state.withLock { state in
        state.isWatched = false
        return nextStep(&state)
      }
      take(step, start)
    }
  }

  /// Processes the waiting items, up to the maximum of one batch, and resumes the callers.
  ///
  /// - Parameter work: returns the outcome of each item, in their order.
  /// - Returns: whether further items wait for this worker.
  package func workBatch(_ work: ([Item]) -> [Result<Outcome, any Error>]) -> Bool {
    let start = now()
    let batch = state.withLock { state in
      state.starts.append(start)
      let batch = Array(state.waiting.prefix(mostTogether))
      state.waiting.removeFirst(batch.count)
      return batch
    }
    if !batch.isEmpty {
      for (waiting, outcome) in zip(batch, work(batch.map(\.item))) { waiting.caller.resume(with: outcome) }
    }
    return state.withLock { state in
      if let place = state.starts.firstIndex(of: start) { state.starts.remove(at: place) }
      guard state.waiting.isEmpty else { return true }
      state.workers -= 1
      return false
    }
  }

  /// Processes items together, and each alone if that fails: one of them may be at fault.
  ///
  /// - Parameters:
  ///   - isUndone: whether an error of `together` says that nothing was stored. For other errors that is not known, so nothing
  ///     is tried again.
  ///   - together: processes all of them or, if it throws, none; returns the outcome of each.
  package static func outcomes(
    of items: [Item], isUndone: (any Error) -> Bool = { _ in true },
    together: ([Item]) throws -> [Result<Outcome, any Error>]
  ) -> [Result<Outcome, any Error>] {
    do {
      return try together(items)
    } catch  where items.count == 1 || !isUndone(error) {
      return items.map { _ in .failure(error) }
    } catch {
      return items.flatMap { outcomes(of: [$0], isUndone: isUndone, together: together) }
    }
  }
}

/// Says when a task is due that is done at most once a second, next to other work.
package final class OncePerSecond: Sendable {
  /// When it was last due, in seconds since 1970.
  private let last = Mutex(Int64(0))

  package init() {}

  /// Whether it is due: true for the first caller in a second.
  ///
  /// - Parameter now: seconds since 1970.
  package func isDue(at now: Int64) -> Bool {
    last.withLock { last in
      defer { last = now }
      return now != last
    }
  }
}

/// The clocks of the instances that share a store.
package enum InstanceClocks {
  /// By how many seconds they may differ, with the time in which a response is stored.
  package static let mostApart: Int64 = 900
}
