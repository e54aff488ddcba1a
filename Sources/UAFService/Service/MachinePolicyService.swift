import Synchronization
import UAFMessages

/// Signs the policies of groups for their machines, and knows when there is another one.
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

  /// The number of the policy that was saved last, whatever its group; nil where none was.
  ///
  /// No login waits for the store because of it: ``renew()`` reads it.
  package var news: Int64? {
    let number = last.withLock { $0 }
    return number > 0 ? number : nil
  }

  /// Learns of policies that were saved since the last time, also at other servers and by the command line.
  ///
  /// - Throws: `StoreFailure`.
  package func renew() async throws {
    let number = try await store.read { try $0.machinePolicies.lastNumber() }
    last.withLock { $0 = max($0, number) }
  }

  /// The policy that is in force for a machine, signed for it now.
  ///
  /// Whoever calls it has made sure by the machine's proof that it asks itself.
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
