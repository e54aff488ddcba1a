import Synchronization
import UAFMessages

/// Signs the workstation policies for the machines of their groups, and knows when there is a new one.
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
  /// It is kept in memory, so that no login waits for the store: ``renew()`` reads it.
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

  /// The policy that is in force for a machine, with a fresh signature for that machine.
  ///
  /// The caller has checked the machine's proof, so the machine itself asks.
  ///
  /// - Parameter machine: its latest join record.
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

/// A workstation policy as a machine receives it.
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

/// The workstation policies that machines receive when they check in.
package protocol MachinePolicies: Sendable {
  /// A number that grows whenever a policy changes; nil if there are no policies.
  ///
  /// The answer to each login contains it, so it must be available without waiting.
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

/// The workstation policies of a server that has none.
package struct NoMachinePolicies: MachinePolicies {
  package init() {}

  package var news: Int64? { nil }

  package func renew() async throws {}

  package func policy(for machine: JoinedMachine) async throws -> MachinePolicy? { nil }
}

/// A saved policy for the workstations of a group: it is in force, or was.
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
  /// The reason that the administrator gave when saving it.
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

  /// The policies that end on machines which have not renewed them after half of the policies' time; see ``MachinePolicyEnd``.
  ///
  /// - Parameter now: seconds since 1970.
  func ends(now: Int64) throws -> [MachinePolicyEnd]

  /// Adds a policy, which is in force for its group from then on.
  ///
  /// - Returns: false if its number is not higher than all others, because a different administrator was faster; nothing is
  ///   stored then.
  func add(_ policy: SavedMachinePolicy) throws -> Bool
}

/// A workstation policy that ends on machines which do not renew it.
///
/// A machine renews its policy after half of the policy's time. So these are machines that have not reported for longer than
/// that. A policy that has ended stays in force on its machine.
package struct MachinePolicyEnd: Equatable, Sendable {
  package let number: Int64
  package let group: String
  /// How many machines have not renewed it.
  package let machines: Int
  /// The first end on one of them, in seconds since 1970.
  package let endsAt: Int64

  package init(number: Int64, group: String, machines: Int, endsAt: Int64) {
    self.number = number
    self.group = group
    self.machines = machines
    self.endsAt = endsAt
  }
}
