import UAFMessages
import UAFService

/// Carries out the steps of a plan that makes the store have the people of a directory.
package struct DirectoryAdministration: Sendable {
  /// The most steps in one transaction, which delays logins by some 50 ms at most.
  package static let together = 200
  /// Why accounts are disabled, for people.
  private static let reason = "not in the directory"

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Carries out steps in one transaction, all of them or none.
  ///
  /// The plan was computed from an earlier state of the store. So each step is checked again: that the account has the external
  /// ID of the step, which must be one of this directory; that its person has no role by hand; and that an account that is
  /// enabled was disabled in the name of this directory.
  ///
  /// The rows of the audit about accounts name the directory. A further row says on whose behalf, and how many.
  ///
  /// - Parameter steps: at most ``together``.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; what the environment's functions throw.
  package func carryOut(_ steps: [DirectoryStep], of source: DirectorySource, by caller: Caller) async throws {
    let permitted = try caller.require(.manageAccounts)
    guard (1...Self.together).contains(steps.count) else {
      throw AdministrationRefusal.invalid(field: "steps", .outOfRange(1...Int64(Self.together), nil))
    }
    for step in steps {
      try AccountReach.check(step.username)
      let id = step.externalID.utf8
      guard step.externalID.hasPrefix(source.prefix), id.count > source.prefix.utf8.count, id.count <= 128,
        id.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        throw AdministrationRefusal.invalid(field: "externalID", .notOfDirectory(source.name))
      }
    }
    let names = Array(Set(steps.map(\.username))).sorted()
    try await environment.change(.ofAll(names), by: permitted) { [environment] records in
      let run = Run(environment, records, source, caller)
      for step in steps { try run.carryOut(step) }
      var detail: JSONObject = ["source": .string(source.name)]
      for action in DirectoryStep.Action.allCases {
        detail.set(action.rawValue, .integer(Int64(steps.count { $0.action == action })))
      }
      try records.audit.append([
        environment.event(.directorySync, by: caller, detail: JSONValue.object(detail).text)
      ])
    }
  }

  /// The steps of one transaction.
  private struct Run {
    private let environment: AdministrationEnvironment
    private let records: any StoreTransaction
    /// The directory as the actor, with the role that the caller has.
    private let directory: Caller
    private let now: Int64

    init(
      _ environment: AdministrationEnvironment, _ records: any StoreTransaction, _ source: DirectorySource,
      _ caller: Caller
    ) {
      self.environment = environment
      self.records = records
      directory = Caller(actor: source.actor, role: caller.role, address: caller.address)
      now = environment.now()
    }

    func carryOut(_ step: DirectoryStep) throws {
      // Even before an account is added: a role may be there without one, and the new account would have it.
      if let administrator = try records.administrators.administrator(step.username), administrator.group == nil {
        throw AdministrationRefusal.conflict(.isAdministrator(step.username))
      }
      if step.action == .add { return try add(step) }
      let profile = try records.profiles.profiles(of: [step.username])[step.username]
      guard profile?.externalID == step.externalID else { throw Self.changed(step) }
      switch step.action {
      case .add: break
      case .change: try change(step)
      case .enable: try enable(step)
      case .disable: try disable(step)
      }
    }

    private static func changed(_ step: DirectoryStep) -> AdministrationRefusal {
      .conflict(.directoryOutdated(step.username))
    }

    private var changes: AccountChanges { AccountChanges(environment, records, directory) }

    private func add(_ step: DirectoryStep) throws {
      guard try !records.accounts.exists(step.username) else { throw Self.changed(step) }
      try changes.add(step.username)
      try change(step)
    }

    private func change(_ step: DirectoryStep) throws {
      // The external ID belongs to the step, so that no step can leave an account without it.
      let change = step.change.keeping(externalID: step.externalID)
      try records.audit.append(
        ProfileChanges(environment, records).apply([step.username: change], by: directory))
    }

    private func enable(_ step: DirectoryStep) throws {
      let block = try records.accounts.block(of: step.username)
      guard block?.actor == directory.actor.text, block?.until == nil else { throw Self.changed(step) }
      try changes.lift(step.username)
    }

    private func disable(_ step: DirectoryStep) throws {
      guard try records.accounts.block(of: step.username)?.refusal(at: now) != .accountDisabled else {
        throw Self.changed(step)
      }
      try changes.disable(step.username, reason: DirectoryAdministration.reason, keepsLock: true)
    }
  }
}
