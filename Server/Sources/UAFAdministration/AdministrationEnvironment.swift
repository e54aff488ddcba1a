import UAFMessages
import UAFService

/// Everything that the administration depends on: the store and the groups of accounts, and functions for time, randomness and
/// the server's keys.
package struct AdministrationEnvironment: Sendable {
  // Private, so that operations can make changes only through `change`.
  private let store: any ServerStore
  /// The name of the group that an account is in; nil for everybody else.
  ///
  /// Throws while no policy can be used.
  package let group: @Sendable (_ username: String) throws -> String?
  /// The names of the accounts in a group; nil if this process knows no policy with such a group.
  ///
  /// Throws while no policy can be used.
  package let members: @Sendable (_ group: String) throws -> Set<String>?
  /// Which passkeys can be used now; none if this process knows no policy.
  let passkeys: @Sendable () -> PasskeyReach
  /// Seconds since 1970.
  package let now: @Sendable () -> Int64
  package let random: @Sendable (Int) throws -> [UInt8]
  /// The base URL that clients use; nil for the one with which `serve` was last started.
  package let publicURL: String?
  /// The name of this machine, for rows of the audit that are about no other machine; empty if it has none.
  package let host: String
  /// The CA certificate that a payload for a URL contains, PEM; nil if the server has no CA of its own.
  package let authority: @Sendable (_ url: String) throws -> String?
  /// The public keys with which the server's verdicts are verified, for the payload of a join code, PEM, the key in use first.
  package let verdictKeys: @Sendable () throws -> String
  /// The verdict keys that are not used yet, each with the time from which it is used, in seconds since 1970.
  let comingKeys: @Sendable () throws -> [(id: String, from: Int64)]
  /// The maker of unlocks; nil if there are no keys to sign with.
  package let unlocks: @Sendable () throws -> UnlockGrants?
  /// The seal for the keys of enrolment codes; nil if the server has no keys.
  package let enrolments: @Sendable () throws -> EnrolmentSeal?
  /// Whether the audit has been unsigned for too long.
  ///
  /// As long as it is, nothing can be changed remotely.
  package let isAuditUnsigned: @Sendable () -> Bool
  /// The machines that this instance has refused as unknown; none if this process serves no machines.
  let unknownMachines: @Sendable () -> [UnknownMachine]
  /// The authenticators that policies can name.
  package let models: AuthenticatorModels
  /// The privileged accounts of the saved policy; shared by all requests of a server.
  let savedPrivileged = SavedPrivileged()
  /// Shared by all requests of a server.
  let previews = PreviewGate()
  /// Shared by all requests of a server, too.
  let modelFigures = ModelFigureMemory()
  /// Whether each change is only tried out and then rolled back.
  private var isTrial = false

  package init(
    store: any ServerStore, group: @escaping @Sendable (String) throws -> String?,
    members: @escaping @Sendable (String) throws -> Set<String>? = { _ in nil },
    passkeys: @escaping @Sendable () -> PasskeyReach = { .nothing }, now: @escaping @Sendable () -> Int64,
    random: @escaping @Sendable (Int) throws -> [UInt8], publicURL: String? = nil, host: String = "",
    authority: @escaping @Sendable (String) throws -> String?, verdictKeys: @escaping @Sendable () throws -> String,
    comingKeys: @escaping @Sendable () throws -> [(id: String, from: Int64)] = { [] },
    unlocks: @escaping @Sendable () throws -> UnlockGrants? = { nil },
    enrolments: @escaping @Sendable () throws -> EnrolmentSeal? = { nil },
    isAuditUnsigned: @escaping @Sendable () -> Bool = { false },
    unknownMachines: @escaping @Sendable () -> [UnknownMachine] = { [] }, models: AuthenticatorModels
  ) {
    self.store = store
    self.group = group
    self.members = members
    self.passkeys = passkeys
    self.now = now
    self.random = random
    self.publicURL = publicURL
    self.host = host
    self.authority = authority
    self.verdictKeys = verdictKeys
    self.comingKeys = comingKeys
    self.unlocks = unlocks
    self.enrolments = enrolments
    self.isAuditUnsigned = isAuditUnsigned
    self.unknownMachines = unknownMachines
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

  /// Makes a change on behalf of a caller, in one transaction.
  ///
  /// The transaction first checks again the caller's role, token and session, which may have been revoked while the request
  /// waited, and whether the role allows changes to these accounts. A change after which no administrator could sign in is
  /// rolled back, unless the caller is at the server itself.
  ///
  /// - Parameter accounts: the accounts that are changed.
  /// - Throws: ``AdministrationRefusal``; the errors of `body`; ``StoreFailure``. Nothing is changed then.
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
      let passkeys = try usablePasskeys(in: records)
      let mustKeep = try !caller.isAtServer && records.hasUsableAdministrator(passkeys: passkeys, now: now)
      let value = try body(records)
      guard try !mustKeep || records.hasUsableAdministrator(passkeys: passkeys, now: now) else {
        throw AdministrationRefusal.lastAdministrator
      }
      // The error rolls the transaction back.
      if isTrial { throw ChangeTried() }
      return value
    }
  }

  /// Which passkeys can be used according to the newest saved policy, which is in force two seconds after it was saved; if there
  /// is none, or servers use a file instead, according to what this process knows.
  func usablePasskeys(in records: any StoreTransaction) throws -> PasskeyReach {
    guard try records.settings.value(of: .policyFile) != "yes",
      let text = try records.policyVersions.version(records.policyVersions.lastNumber())?.text
    else { return passkeys() }
    // A policy that this process cannot use, because it lacks a metadata statement or a mapped group, may accept every passkey:
    // then nobody but who is at the server may remove what could be the last administrator's.
    let mapped = MappedGroups(self, records)
    let policies =
      try (try? PolicyParser(models: models).policies(Array(text.utf8))).flatMap(mapped.administrators)
      ?? AccountPolicies(everybody: AcceptedSets(each: models), passkeys: PasskeyPolicy())
    return PasskeyReach(publicURL: try records.settings.value(of: .publicURL), policies: policies)
  }

  /// Runs an operation and rolls its change back, to find out whether it would be refused now.
  ///
  /// - Parameter operation: an operation that makes one change, with the environment that is passed to it.
  /// - Throws: the errors that `operation` throws before its change is complete.
  package func trying(_ operation: (AdministrationEnvironment) async throws -> Void) async throws {
    var trial = self
    trial.isTrial = true
    do { try await operation(trial) } catch is ChangeTried {}
  }

  /// Writes records about the callers themselves: sessions, used codes, the last use of a token, repeated requests.
  ///
  /// It checks no permission, so `body` must change nothing else.
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

  /// Makes an enrolment code for an account, and the sealed key that the store keeps.
  ///
  /// - Throws: ``AdministrationRefusal`` if this server has no keys; what the environment's functions throw.
  func enrolmentCode(for username: String) throws -> (code: EnrolmentCode, sealedKey: [UInt8]) {
    guard let seal = try enrolments(), let code = EnrolmentCode(random: try random(EnrolmentCode.randomByteCount))
    else {
      throw AdministrationRefusal.conflict(.noSealingKeys)
    }
    return (code, try seal.seal(code, for: username, nonce: random(EnrolmentSeal.nonceByteCount)))
  }

  /// Refuses a change while the audit is unsigned: its row could be removed without a trace.
  ///
  /// - Throws: ``AdministrationRefusal/auditUnsigned``.
  package func requireSignedAudit() throws(AdministrationRefusal) {
    if isAuditUnsigned() { throw .auditUnsigned }
  }

  /// Makes the row of the audit about an operation of a caller.
  func event(
    _ kind: AuditKind, by caller: Caller, account: String = "", machine: String = "", detail: String = ""
  ) -> AuditEntry {
    AuditEntry(
      time: now(), kind: kind, account: account, actor: caller.actor, address: caller.address,
      machine: machine.isEmpty ? host : machine, detail: detail)
  }
}

/// The error that rolls a tried change back: nothing has refused it.
private struct ChangeTried: Error {}

/// The accounts that an operation changes.
enum ChangedAccounts: Sendable {
  /// No accounts: the operation is about policies, tokens or join codes.
  case nobodys
  case of(String)
  case ofAll([String])
  /// The accounts that own the selected keys.
  case having(KeySelection)

  /// The names of these accounts.
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
    case .all(let username), .one(_, _, let username), .passkey(_, let username), .onMachine(_, let username):
      [username]
    case .machine(let id): Set(try records.machines.keys(on: id, limit: .max).map(\.username))
    }
  }
}

/// The state of the server's store and of the sinks of its audit.
package struct ServerStanding: Equatable, Sendable {
  /// The position of a sink.
  package struct Sink: Equatable, Sendable {
    package let name: String
    /// The last row that the sink has received; 0 for none.
    package let delivered: Int64
    /// The time of the oldest row that the sink has not received, in seconds since 1970; nil if it has received all.
    package let waitingSince: Int64?
  }

  /// The number of the audit's last row.
  package let lastRow: Int64
  /// When a backup was last restored, or rows were moved here from another store; in seconds since 1970; nil if that never
  /// happened.
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
