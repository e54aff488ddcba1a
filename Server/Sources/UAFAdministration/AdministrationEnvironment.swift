import UAFMessages
import UAFService

/// What administration needs: its store, the groups of accounts, and time, randomness and the server's address as functions.
package struct AdministrationEnvironment: Sendable {
  // Private, so that an operation can change something only through `change`.
  private let store: any ServerStore
  /// The name of the group that an account is in; nil for everybody else.
  ///
  /// Throws while no policy can be used.
  package let group: @Sendable (_ username: String) throws -> String?
  /// The names of the accounts in a group; nil if no policy that is known here has such a group.
  ///
  /// Throws while no policy can be used.
  package let members: @Sendable (_ group: String) throws -> Set<String>?
  /// Seconds since 1970.
  package let now: @Sendable () -> Int64
  package let random: @Sendable (Int) throws -> [UInt8]
  /// The base URL that clients use; nil if it is the one under which `serve` was last reached.
  package let publicURL: String?
  /// The name of this machine, for audit rows that are about no other machine; empty for none.
  package let host: String
  /// The certificate authority in a payload for a URL, PEM; nil if the server does not have its own.
  package let authority: @Sendable (_ url: String) throws -> String?
  /// The public keys of the server's verdicts for the payload of a join code, PEM, the key in use first.
  package let verdictKeys: @Sendable () throws -> String
  /// What makes unlocks; nil for a server without keys to sign with.
  package let unlocks: @Sendable () throws -> UnlockGrants?
  /// What seals enrolment codes; nil for a server without keys.
  package let enrolments: @Sendable () throws -> EnrolmentSeal?
  /// Whether the audit has been unsigned for too long: then nothing can be changed remotely.
  package let isAuditUnsigned: @Sendable () -> Bool
  /// The authenticators that policies can name.
  package let models: AuthenticatorModels
  /// The privileged accounts of the saved policy; shared by all requests of a server.
  let savedPrivileged = SavedPrivileged()
  /// Shared by all requests of a server.
  let previews = PreviewGate()
  /// Shared by all requests of a server, too.
  let modelFigures = ModelFigureMemory()
  /// Whether changes are only tried: each is rolled back instead of committed.
  private var isTrial = false

  package init(
    store: any ServerStore, group: @escaping @Sendable (String) throws -> String?,
    members: @escaping @Sendable (String) throws -> Set<String>? = { _ in nil }, now: @escaping @Sendable () -> Int64,
    random: @escaping @Sendable (Int) throws -> [UInt8], publicURL: String? = nil, host: String = "",
    authority: @escaping @Sendable (String) throws -> String?, verdictKeys: @escaping @Sendable () throws -> String,
    unlocks: @escaping @Sendable () throws -> UnlockGrants? = { nil },
    enrolments: @escaping @Sendable () throws -> EnrolmentSeal? = { nil },
    isAuditUnsigned: @escaping @Sendable () -> Bool = { false }, models: AuthenticatorModels
  ) {
    self.store = store
    self.group = group
    self.members = members
    self.now = now
    self.random = random
    self.publicURL = publicURL
    self.host = host
    self.authority = authority
    self.verdictKeys = verdictKeys
    self.unlocks = unlocks
    self.enrolments = enrolments
    self.isAuditUnsigned = isAuditUnsigned
    self.models = models
  }

  // MARK: The store

  /// Reads in one transaction.
  ///
  /// - Throws: what `body` throws; ``StoreFailure``.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await store.read(body)
  }

  /// Changes something for a caller, in one transaction.
  ///
  /// The caller's role, token and session are checked again within that transaction, and so is whether the role reaches the
  /// changed accounts: they may have been revoked while the request waited. A change that would leave no administrator who can
  /// sign in is rolled back, unless the caller is at the server itself.
  ///
  /// - Parameter accounts: the accounts that are changed.
  /// - Throws: ``AdministrationRefusal``; what `body` throws; ``StoreFailure``. Then nothing was changed.
  func change<Value: Sendable>(
    _ accounts: ChangedAccounts, by permitted: PermittedCaller,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    let caller = permitted.caller
    return try await store.write { [self] records in
      let now = now()
      guard try CallerStanding(records: records, now: now).isGood(caller) else {
        throw AdministrationRefusal.notAllowed(permitted.permission)
      }
      try AccountReach(self).check(accounts.names(in: records), by: caller, in: records)
      let mustKeep = try !caller.isAtServer && records.hasUsableAdministrator(now: now)
      let value = try body(records)
      guard try !mustKeep || records.hasUsableAdministrator(now: now) else {
        throw AdministrationRefusal.lastAdministrator
      }
      // An error that is thrown in a transaction rolls it back.
      if isTrial { throw ChangeTried() }
      return value
    }
  }

  /// Runs an operation without its change, to learn whether it would be refused now.
  ///
  /// - Parameter operation: an operation that makes one change, in the environment that it gets.
  /// - Throws: what `operation` throws before its change.
  package func trying(_ operation: (AdministrationEnvironment) async throws -> Void) async throws {
    var trial = self
    trial.isTrial = true
    do { try await operation(trial) } catch is ChangeTried {}
  }

  /// Writes records of how callers prove who they are: sessions, used codes, the last use of a token, repeated requests.
  ///
  /// It checks no permission, so it must change nothing else.
  ///
  /// - Throws: what `body` throws; ``StoreFailure``.
  package func writeCallerRecords<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await store.write(body)
  }

  // MARK: Payloads and rows

  /// The base URL for payloads.
  func url() async throws -> String {
    if let publicURL { return publicURL }
    return try await read { try $0.settings.value(of: .publicURL) } ?? "https://127.0.0.1:8443"
  }

  /// Makes an enrolment code for an account, and what the store keeps of it.
  ///
  /// - Throws: ``AdministrationRefusal`` if this server has no keys; what the environment's functions throw.
  func enrolmentCode(for username: String) throws -> (code: EnrolmentCode, sealedKey: [UInt8]) {
    guard let seal = try enrolments(), let code = EnrolmentCode(random: try random(EnrolmentCode.randomByteCount))
    else {
      throw AdministrationRefusal.conflict(.noSealingKeys)
    }
    return (code, try seal.seal(code, for: username, nonce: random(EnrolmentSeal.nonceByteCount)))
  }

  /// Refuses what would leave no signed trace.
  ///
  /// - Throws: ``AdministrationRefusal/auditUnsigned``.
  package func requireSignedAudit() throws(AdministrationRefusal) {
    if isAuditUnsigned() { throw .auditUnsigned }
  }

  /// A row of the audit about what a caller did.
  func event(
    _ kind: AuditKind, by caller: Caller, account: String = "", machine: String = "", detail: String = ""
  ) -> AuditEntry {
    AuditEntry(
      time: now(), kind: kind, account: account, actor: caller.actor, address: caller.address,
      machine: machine.isEmpty ? host : machine, detail: detail)
  }
}

/// A change was tried, and nothing refused it.
private struct ChangeTried: Error {}

/// Whose accounts an operation changes.
enum ChangedAccounts: Sendable {
  /// No accounts: the operation is about policies, tokens or machines' codes.
  case nobodys
  case of(String)
  case ofAll([String])
  /// The accounts that own the selected keys.
  case having(KeySelection)

  /// Their names.
  func names(in records: any StoreTransaction) throws -> [String] {
    switch self {
    case .nobodys: []
    case .of(let name): [name]
    case .ofAll(let names): names
    case .having(let keys): try Self.people(of: keys, in: records).sorted()
    }
  }

  /// The accounts that own the selected keys.
  static func people(of keys: KeySelection, in records: any StoreTransaction) throws -> Set<String> {
    switch keys {
    case .all(let username), .one(_, _, let username), .onMachine(_, let username): [username]
    case .machine(let id): Set(try records.machines.keys(on: id, limit: .max).map(\.username))
    }
  }
}

/// The state of the server's store and of the sinks of its audit.
package struct ServerStanding: Equatable, Sendable {
  /// How far a sink has come.
  package struct Sink: Equatable, Sendable {
    package let name: String
    /// The last row that the sink has received; 0 for none.
    package let delivered: Int64
    /// When the oldest row was written that the sink has not received, in seconds since 1970; nil if it has all.
    package let waitingSince: Int64?
  }

  /// The audit's last row.
  package let lastRow: Int64
  /// When a backup was last restored, in seconds since 1970; nil if none was.
  package let restoredAt: Int64?
  /// The sinks to which rows were ever sent.
  package let sinks: [Sink]

  /// Reads the state.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package static func read(_ environment: AdministrationEnvironment, by caller: Caller) async throws -> ServerStanding {
    try caller.require(.read)
    return try await environment.read { records in
      let sinks = try records.auditDeliveries.all().map { delivery in
        let next = try records.audit.rows(AuditFilter(after: delivery.delivered), limit: 1).first
        return Sink(name: delivery.sink, delivered: delivery.delivered, waitingSince: next?.event.time)
      }
      let restored = try records.settings.value(of: .restoredAt).flatMap { Int64($0) }
      return ServerStanding(lastRow: try records.audit.last().number, restoredAt: restored, sinks: sinks)
    }
  }
}
