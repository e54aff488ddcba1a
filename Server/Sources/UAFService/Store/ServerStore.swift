import Synchronization
import UAFMessages

/// The server's store: accounts, keys, open requests, codes, confirmed texts.
///
/// The service uses transactions and sees nothing of the engine: no SQL, no rows, no connections. Every store promises:
///
/// - **Atomic**: all changes of a transaction are stored together, or none.
/// - **Durable**: ``write(_:)`` returns only when its changes would survive a power cut.
/// - **Once**: if several transactions use the same challenge or the same proof, or raise the same counter to the same value,
///   one succeeds, and the others see that it has. Apart from that, the store decides how transactions are isolated.
/// - **No false success**: if the store does not know whether a commit succeeded, the call throws.
///
/// A store may commit the transactions of several callers together, and may repeat a transaction after a conflict. So a body
/// may run more than once, and must change nothing but the store. If it throws, its own changes are undone, and no others.
package protocol ServerStore: Sendable {
  /// Reads in one transaction, which sees one state of the store from its beginning to its end.
  ///
  /// If `body` tries to change something, that call throws.
  ///
  /// - Throws: the errors of `body`; ``StoreFailure`` if the store failed; `CancellationError` if the caller's task was
  ///   cancelled.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value

  /// Reads and changes in one transaction.
  ///
  /// - Throws: the errors of `body`, after which nothing is stored; ``StoreFailure`` if the store failed; `CancellationError`
  ///   if the caller's task was cancelled. After the last two, something may have been stored or not, so the caller must not
  ///   report a success.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value

  /// Reads what a login needs: the keys of an account for an AppID, and whether a challenge was used.
  ///
  /// Like ``read(_:)`` with ``Credentials/keys(of:appID:)`` and ``UsedChallenges/contains(_:)``, but faster.
  ///
  /// - Parameter challenge: nil if there is none to check.
  /// - Throws: like ``read(_:)``.
  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords

  /// Stores a verified answer in one durable commit, alone or together with others; returns after the commit.
  ///
  /// The store repeats the checks whose outcome may have changed since the answer was verified.
  ///
  /// - Throws: ``ServiceRefusal``, and nothing is stored, if the challenge was answered before, the counter did not increase,
  ///   the account is blocked, or the approval's text is no longer reserved by this challenge. ``StoreFailure`` if the store
  ///   failed: something may have been stored or not, so the caller must not report a success.
  func store(_ answer: VerifiedResponse) async throws
}

/// The store's records of an account and a challenge at one moment.
package struct LoginRecords: Sendable {
  /// Whether the challenge was answered with success before; false if the caller gave none.
  package let isUsed: Bool
  /// The keys of the account, oldest first, revoked ones included.
  package let keys: [StoredKey]

  package init(isUsed: Bool, keys: [StoredKey]) {
    self.isUsed = isUsed
    self.keys = keys
  }
}

/// The server's record of a registered key, used to verify its signatures.
package struct StoredKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// For an elliptic curve 65 bytes, the point; for RSA the SubjectPublicKeyInfo.
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

/// A verified answer to a request for an authentication.
///
/// A store keeps all of it in one commit, or nothing.
package struct VerifiedResponse: Sendable {
  package let username: String
  /// ``IssuedChallenge/hash`` of the challenge, which becomes used.
  package let challengeHash: [UInt8]
  /// When the request would have expired, in seconds since 1970; the used challenge can be forgotten then.
  package let expiresAt: Int64
  /// The verified signatures; the stored counters of their keys are raised.
  package let signatures: [VerifiedAuthentication]
  /// What the assertion of a passkey changes, for an answer of WebAuthn, which has no ``signatures``.
  package var passkey: UsedPasskey?
  /// Whether the passkey has signed in to the console, or confirmed a step there.
  var isOfConsole = false
  /// The confirmed text, with one record for each signature; empty for a login.
  package let confirmedTexts: [ConfirmedText]
  /// The approval whose text was confirmed; nil if there is none.
  package let approvalID: Int64?
  /// Seconds since 1970.
  package let now: Int64
  /// The address that the answer came from, for the audit; empty if it is not known.
  var address = ""
  /// The machine of the keys, for the audit.
  var machine = ""
  /// The detail of the row of the audit, as JSON.
  var detail = ""

  /// Whether it lets the person in; if not, it confirms something.
  private var isLogin: Bool { approvalID == nil && confirmedTexts.isEmpty && !isOfConsole }

  /// The challenge, which becomes used.
  package var challenge: IssuedChallenge { IssuedChallenge(hash: challengeHash, expiresAt: expiresAt) }

  /// The row of the audit that is stored with the answer.
  package var event: AuditEntry {
    let authenticators =
      signatures.map { "\($0.aaid.text) \($0.keyID.text) \($0.signCounter)" } + [passkey?.auditText].compactMap(\.self)
    return AuditEntry(
      time: now, kind: isLogin ? .login : .confirmation, account: username,
      actor: .person, address: address, machine: machine, authenticators: authenticators.joined(separator: ", "),
      detail: detail)
  }

  /// Why the answer was not stored although its challenge was not used before.
  ///
  /// If the account is not blocked, a different signature with the same or a higher counter was stored in the meantime, or the
  /// key was revoked or removed.
  ///
  /// - Parameter block: the block of the account; nil if it has none.
  package func refusal(by block: AccountBlock?) -> ServiceRefusal {
    block?.refusal(at: now) ?? .counterNotIncreased
  }
}

/// One transaction of a ``ServerStore``, which gives access to the records by subject.
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
  var groupMappings: any GroupMappings { get }
  var issuedCodes: any IssuedCodes { get }
  var joinCodes: any JoinCodes { get }
  var joinedMachines: any JoinedMachines { get }
  var machinePolicies: any SavedMachinePolicies { get }
  var machineTrusts: any MachineTrusts { get }
  var machines: any Machines { get }
  var openRegistrations: any OpenRegistrations { get }
  var passkeys: any Passkeys { get }
  var personGroups: any PersonGroups { get }
  var policyVersions: any PolicyVersions { get }
  var profiles: any Profiles { get }
  var provisioning: any Provisioning { get }
  var repeatableRequests: any RepeatableRequests { get }
  var settings: any Settings { get }
  var usedChallenges: any UsedChallenges { get }
  var usedProofs: any UsedProofs { get }
  var wrongAnswers: any WrongAnswers { get }

  /// Makes changes that can be undone without ending the transaction (a savepoint).
  ///
  /// - Parameter changes: returns whether its changes are kept. If it returns false or throws, they are undone.
  func keeping(if changes: () throws -> Bool) throws
}

extension StoreTransaction {
  /// Marks keys and passkeys as revoked; those that were revoked before keep their earlier record.
  ///
  /// - Returns: how many were not revoked before.
  package func revoke(_ keys: KeySelection, _ revocation: Revocation) throws -> Int {
    let count = try credentials.revoke(keys, revocation)
    switch keys {
    case .all(let username): return try count + passkeys.revoke(nil, of: username, revocation)
    case .passkey(let id, let username): return try passkeys.revoke(id, of: username, revocation)
    case .one, .onMachine, .machine: return count
    }
  }

  /// Whether at least one administrator can sign in to the console: their account is not blocked, and has a key that is
  /// accepted there.
  ///
  /// - Parameters:
  ///   - name: an administrator who is not considered; nil to consider all.
  ///   - policies: the policies that the keys must meet; nil if they are not checked.
  ///   - reach: which passkeys can be used; none by itself.
  ///   - now: seconds since 1970.
  package func hasUsableAdministrator(
    besides name: String? = nil, meeting policies: AccountPolicies? = nil, passkeys reach: PasskeyReach = .nothing,
    now: Int64
  ) throws -> Bool {
    try administrators.all().contains { administrator in
      // The raw value of `Role`.
      guard administrator.role == "administrator", administrator.name != name,
        try accounts.block(of: administrator.name)?.refusal(at: now) == nil
      else { return false }
      let keys = try credentials.records(of: administrator.name).filter(\.countsForSteps)
      let passkeys = try self.passkeys.passkeys(of: administrator.name).filter(\.countsForSteps)
      if reach.allows(administrator.name, Set(passkeys.map(\.kind)), under: policies) { return true }
      guard let policies else { return !keys.isEmpty }
      let models = Dictionary(grouping: keys, by: \.deviceID).values.map { Set($0.map { $0.aaid.text.lowercased() }) }
      return policies.accepted(for: administrator.name)
        .areMet(by: AccountModels(username: administrator.name, machines: Array(models)))
    }
  }
}

/// Why a store cannot be used, although its engine works.
package enum StoreError: Error, Equatable {
  /// A later version of the server has changed the store's tables.
  case newer
  /// An import into the store has not finished.
  case unfinished
  /// The store's rows were moved to another store.
  case moved(to: String)
  /// A different process has been writing to the store for too long.
  case busy

  /// The message to an administrator about a store that was moved away.
  package static func movedText(to place: String) -> String {
    "server.db was moved to \(place): start the server with --store and its URL, or use server.db again with "
      + "'uaf-server migrate --abandon --to URL'"
  }

  /// The same message, without the new location, for programs that have the store open.
  package static let movedShortText = "server.db was moved to a database: start the server with --store and its URL"

  /// The message about a store that another process is writing to.
  package static let busyText =
    "server.db is in use by another command, such as 'migrate': run it again when that has ended"
  /// The message about a store of either engine into which an import has not finished.
  package static let unfinishedText =
    "an import into this store did not finish: run 'uaf-server import' or 'uaf-server migrate' again, or drop the store"
}

/// A failure of the store's engine, such as a full disk or a file that is not a database.
package protocol StoreFailure: Error {
  /// The engine's name and its error code, for the log; no stored values.
  var logName: String { get }
  /// The text for the administrator.
  var text: String { get }
  /// Whether the same operation may succeed later without any repair of the store.
  var isTemporary: Bool { get }
}

extension StoreFailure {
  package var isTemporary: Bool { false }
}

/// Single values that are kept in the store, most of them by `serve` for the other commands.
package protocol Settings {
  func value(of name: SettingName) throws -> String?
  func set(_ name: SettingName, to value: String) throws
  func remove(_ name: SettingName) throws
}

/// The names of single values in the store.
package enum SettingName: String, Sendable {
  /// The base URL with which `serve` was last started.
  case publicURL
  /// The statistics of the accounts' key shapes: ``KeyShapes`` as JSON.
  case keyShapes
  /// The same for the accounts' passkeys.
  case passkeyShapes
  /// The id of the secret from which decoys are computed.
  case decoySecret
  /// Whether `serve` was last started with a file of policies, which overrides the stored ones: `yes` or `no`.
  case policyFile
  /// How often mappings of groups of people, or members of mapped groups, have changed.
  case mappingChanges
  /// Which announced authorities have issued the certificates that instances serve, as ``ServedAuthorities`` writes it.
  case servedAuthorities
  /// When a backup was restored into this store, or the rows of another store were moved here; in seconds since 1970.
  case restoredAt
  /// The id of an unfinished import: the store must not be used.
  case unfinishedImport
  /// The id of the import that made this store.
  case importedAs
  /// The record of the move if the store was moved away, as ``StoreMove`` writes it: the store must not be used.
  case movedTo
}

/// Combines the operations of several callers of a store into batches, each for one commit or one statement.
///
/// A durable commit waits for the disk, whether it contains one answer or 64. While the workers are busy, further callers wait,
/// and the next batch contains all of them. So a slow disk makes each caller wait longer, but does not reduce how many are
/// served in a second.
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
    /// Whether a task is scheduled that starts a second worker if the running batch takes too long.
    var isWatched = false
  }

  private enum Step { case nothing, startWorker, watch }

  /// The most items of a batch: 64 verified answers are about 2 ms of work.
  private let mostTogether = 64
  /// How long a batch may run before a second one is started in parallel.
  ///
  /// With a shorter time, the waiting callers would be split into more, smaller batches, which cost more. With a longer time, a
  /// batch that waits for a lock would delay everybody.
  private let patience = Duration.milliseconds(20)

  private let mostWorkers: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async -> Void
  private let state = Mutex(State())

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mostWorkers: how many batches may run at the same time.
  ///   - now: a monotonic clock.
  ///   - sleep: waits for a duration.
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
  /// A caller whose task is cancelled waits too: an answer that is being committed cannot be withdrawn.
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

  /// Decides what is done for the waiting callers: nothing, a new worker, or a later check.
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

  /// Starts a second worker later if a batch takes too long: without this, only the next caller would notice.
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
      // In a generic type each use of a key path would make it anew.
      let outcomes = work(batch.map { $0.item })
      for index in 0..<min(batch.count, outcomes.count) { batch[index].caller.resume(with: outcomes[index]) }
    }
    return state.withLock { state in
      if let place = state.starts.firstIndex(of: start) { state.starts.remove(at: place) }
      guard state.waiting.isEmpty else { return true }
      state.workers -= 1
      return false
    }
  }

  /// Processes items together.
  ///
  /// If that fails, each is processed alone, since a single item may have caused the failure.
  ///
  /// - Parameters:
  ///   - isUndone: whether an error of `together` means that nothing was stored. After any other error something may have been
  ///     stored, so nothing is tried again.
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

/// Limits a task that is done along with other work to once a second.
package final class OncePerSecond: Sendable {
  /// When the task was last due, in seconds since 1970.
  private let last = Mutex(Int64(0))

  package init() {}

  /// Whether the task is due: true for the first caller in each second.
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
  /// By how many seconds they may differ, including the time that it takes to store a response.
  package static let mostApart: Int64 = 900
}
