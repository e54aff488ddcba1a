import Synchronization
import UAFMessages

/// Signs the policies of groups for their machines, and knows when there is a new one.
package final class MachinePolicyService: MachinePolicies {
  private let store: any ServerStore
  private let keys: ServerKeys
  private let now: @Sendable () -> Int64
  /// The number of the policy that was saved last, as far as this server knows.
  private let last = Mutex<Int64>(0)

  /// - Parameter now: seconds since 1970.
  package init(store: any ServerStore, keys: ServerKeys, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.keys = keys
    self.now = now
  }

  /// The number of the policy that was saved last, whatever its group; nil if none was.
  ///
  /// No login waits for the store because of it: ``renew()`` reads it.
  package var news: Int64? {
    let number = last.withLock { $0 }
    return number > 0 ? number : nil
  }

  /// Reads the policies that were saved since the last time, also by other servers and on the command line.
  ///
  /// - Throws: `StoreFailure`.
  package func renew() async throws {
    let number = try await store.read { try $0.machinePolicies.lastNumber() }
    last.withLock { $0 = max($0, number) }
  }

  /// The policy that is in force for a machine, signed for it now.
  ///
  /// The caller has checked, by the machine's proof, that the machine itself asks.
  ///
  /// - Parameter machine: the place that it has taken last.
  /// - Returns: nil if no policy was saved for its group.
  /// - Throws: `StoreFailure`; `CryptoError`.
  package func policy(for machine: JoinedMachine) async throws -> MachinePolicy? {
    guard let group = MachineGroup(machine.group),
      let saved = try await store.read({ try $0.machinePolicies.current(of: group.name) })
    else { return nil }
    let time = now()
    let policy = WorkstationPolicy(
      deviceID: machine.id, group: group, version: saved.number, text: saved.text, issuedAt: time, notBefore: time,
      expiresAt: time + saved.lifetime)
    return MachinePolicy(version: saved.number, document: try keys.statement(policy.json, .workstationPolicy))
  }
}

/// A workstation policy as a machine is given it.
package struct MachinePolicy: Equatable, Sendable {
  /// Different policies have different versions.
  package let version: Int64
  /// A JSON web token, at most 24 KiB.
  package let document: String

  package init(version: Int64, document: String) {
    self.version = version
    self.document = document
  }
}

/// The workstation policies that machines are given when they check in.
package protocol MachinePolicies: Sendable {
  /// A new number says that a policy has changed; nil if there are none.
  ///
  /// Each login's answer contains it, so it must be known without a wait.
  var news: Int64? { get }

  /// Reads whether a policy has changed since the last time.
  ///
  /// - Throws: ``StoreFailure``.
  func renew() async throws

  /// The policy for a machine; nil if there is none for it.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``. The machine is then told to try again later.
  func policy(for machine: JoinedMachine) async throws -> MachinePolicy?
}

/// No machine is given a policy.
package struct NoMachinePolicies: MachinePolicies {
  package init() {}

  package var news: Int64? { nil }

  package func renew() async throws {}

  package func policy(for machine: JoinedMachine) async throws -> MachinePolicy? { nil }
}

/// A policy for the workstations of a group that is in force, or was.
package struct SavedMachinePolicy: Equatable, Sendable {
  /// The version that machines compare: higher than that of every policy before it, whatever the group.
  package let number: Int64
  /// The group of machines.
  package let group: String
  /// For how many seconds a machine may rely on it after it was signed.
  package let lifetime: Int64
  /// Seconds since 1970.
  package let savedAt: Int64
  /// As ``AuditActor/text`` writes it.
  package let actor: String
  /// The reason, in the words of whoever saved it.
  package let reason: String
  /// The policy in TOML, as it was given; empty for a policy without rules.
  package let text: String

  package init(
    number: Int64, group: String, lifetime: Int64, savedAt: Int64, actor: String, reason: String, text: String
  ) {
    self.number = number
    self.group = group
    self.lifetime = lifetime
    self.savedAt = savedAt
    self.actor = actor
    self.reason = reason
    self.text = text
  }
}

/// The saved policies for workstations: each is kept, none is changed.
package protocol SavedMachinePolicies {
  /// The number of the policy that was saved last, whatever its group; 0 if none was saved.
  func lastNumber() throws -> Int64

  /// A policy by its number; nil if there is none.
  func policy(_ number: Int64) throws -> SavedMachinePolicy?

  /// The policy of a group that was saved last, which is in force; nil if none was saved.
  func current(of group: String) throws -> SavedMachinePolicy?

  /// The policies in force, one of each group, in the order of the groups' bytes.
  ///
  /// - Parameters:
  ///   - group: policies of groups after this one; empty for the first page.
  ///   - limit: how many at most.
  func inForce(after group: String, limit: Int) throws -> [SavedMachinePolicy]

  /// Policies with a lower number, the newest first.
  ///
  /// - Parameters:
  ///   - number: policies before this one.
  ///   - group: policies of this group; nil for all.
  ///   - limit: how many at most.
  func policies(before number: Int64, of group: String?, limit: Int) throws -> [SavedMachinePolicy]

  /// Adds a policy, which is in force for its group from then on.
  ///
  /// - Returns: false if its number is not higher than all others, and nothing was changed: a different administrator was
  ///   faster.
  func add(_ policy: SavedMachinePolicy) throws -> Bool
}
