import UAFMessages
import UAFService

/// Reads what needs somebody's attention: people who cannot log in now, and machines that are silent.
package struct AttentionAdministration: Sendable {
  /// The most accounts that are looked at for those without a key: the store must read the keys of each.
  package static let mostAccounts = 2000
  /// The most blocked accounts, codes and machines of each kind that are read.
  package static let mostOthers = 1000
  /// After how many seconds without a report a machine counts as silent: a week.
  package static let silentAfter = FleetMachine.silentAfter

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// People who cannot log in now, and why; those whom somebody has blocked come first.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func people(by caller: Caller) async throws -> UnableList {
    try caller.require(.read)
    let now = environment.now()
    return try await environment.read { records in
      var list = UnableList()
      for state in [SearchedState.locked, .disabled] {
        var query = AccountQuery(limit: Self.mostOthers)
        query.state = state
        let found = try records.accounts.page(query, now: now)
        list.isPart = list.isPart || found.count == Self.mostOthers
        list.people += found.compactMap { account in
          account.block.map {
            UnablePerson(username: account.username, cause: state == .locked ? .locked($0) : .disabled($0))
          }
        }
      }
      let machines = try records.joinedMachines.page(after: "", limit: Self.mostOthers)
      list.isPart = list.isPart || machines.count == Self.mostOthers
      for machine in machines where machine.departedAt == nil {
        list.people += (machine.contact?.locks.named ?? []).filter { $0.until.map { $0 > now } ?? true }.map { lock in
          UnablePerson(
            username: lock.account, cause: .lockedOnMachine(machine.id, name: machine.name, until: lock.until))
        }
      }
      let accounts = try records.accounts.page(AccountQuery(limit: Self.mostAccounts), now: now)
      list.isPart = list.isPart || accounts.count == Self.mostAccounts
      let keyless = accounts.filter { $0.keys == 0 && $0.block?.refusal(at: now) == nil }
      let codes = try records.issuedCodes.page(before: nil, onlyOpen: false, limit: Self.mostOthers, now: now)
      // The newest code of each account comes first.
      let newest = Dictionary(codes.map { ($0.username, $0) }) { first, _ in first }
      list.people += keyless.map { account in
        let cause: UnablePerson.Cause
        if account.hasOpenCode {
          cause = .codeOpen(until: newest[account.username]?.expiresAt)
        } else if let code = newest[account.username], code.usedAt == nil, code.expiresAt <= now {
          cause = .codeExpired(at: code.expiresAt)
        } else {
          cause = .noKey
        }
        return UnablePerson(username: account.username, cause: cause)
      }
      return list
    }
  }

  /// The machines that say that they have joined, and that this server does not know, the latest report first.
  ///
  /// Left out are those that somebody has revoked or that have left, and those that have reported or joined since, at any
  /// instance.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func unknownMachines(by caller: Caller) async throws -> [UnknownMachine] {
    try caller.require(.read)
    let machines = environment.unknownMachines()
    guard !machines.isEmpty else { return [] }
    return try await environment.read { records in
      try machines.filter { machine in
        guard let known = try records.joinedMachines.machine(machine.id) else { return true }
        return known.departedAt == nil && max(known.joinedAt, known.contact?.at ?? 0) < machine.lastAt
      }
    }
  }

  /// How the machines of the fleet are.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func fleet(by caller: Caller) async throws -> FleetStanding {
    try caller.require(.read)
    let now = environment.now()
    let machines = try await environment.read { records in
      FleetMachine.merged(
        try records.machines.page(after: "", limit: Self.mostOthers),
        try records.joinedMachines.page(after: "", limit: Self.mostOthers), limit: Self.mostOthers)
    }
    var standing = FleetStanding(isPart: machines.count == Self.mostOthers)
    var versions: [String: Int] = [:]
    for machine in machines {
      switch machine.standing(at: now) {
      case .reporting: standing.reporting += 1
      case .silent: standing.silent += 1
      case .neverReported: standing.neverReported += 1
      case .notJoined: standing.notJoined += 1
      case .departed: standing.departed += 1
      }
      if machine.joined?.departedAt == nil, let module = machine.joined?.contact?.module {
        versions[module, default: 0] += 1
      }
    }
    standing.versions = versions.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    return standing
  }

  /// The workstation policies that end on machines which have not renewed them, the first end first.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func policyEnds(by caller: Caller) async throws -> [MachinePolicyEnd] {
    try caller.require(.read)
    return try await environment.read { [now = environment.now()] in try $0.machinePolicies.ends(now: now) }
  }
}

/// The people who cannot log in now.
package struct UnableList: Sendable {
  package internal(set) var people: [UnablePerson] = []
  /// Whether there may be more of them, because not every account was looked at.
  package internal(set) var isPart = false
}

/// Somebody who cannot log in now.
package struct UnablePerson: Equatable, Sendable {
  package enum Cause: Equatable, Sendable {
    case locked(AccountBlock)
    case disabled(AccountBlock)
    /// A machine reports that it has locked the account; other machines may let the person in.
    case lockedOnMachine(String, name: String?, until: Int64?)
    /// The account has no usable key, and no code with which the person could register.
    case noKey
    /// The account has no usable key yet, and a code that the person has not used.
    case codeOpen(until: Int64?)
    case codeExpired(at: Int64)
  }

  package let username: String
  package let cause: Cause
}

/// How the machines of the fleet are, as numbers.
package struct FleetStanding: Sendable {
  package internal(set) var reporting = 0
  package internal(set) var silent = 0
  package internal(set) var neverReported = 0
  /// Machines on which keys were registered, and that have never joined.
  package internal(set) var notJoined = 0
  package internal(set) var departed = 0
  /// The versions of the package that machines report, the most frequent first.
  package internal(set) var versions: [(version: String, machines: Int)] = []
  /// Whether only some of the machines were read.
  package let isPart: Bool

  init(isPart: Bool) { self.isPart = isPart }
}
