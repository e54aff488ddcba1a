import UAFMessages

/// What the service is given: its store, its keys, the policies, and time, randomness and identity as functions.
package struct ServiceEnvironment: Sendable {
  package let store: any ServerStore
  package let keys: ServerKeys
  package let models: AuthenticatorModels
  /// Which models each account may or must use; throws as long as that is not known.
  package let policies: @Sendable () throws -> AccountPolicies
  /// Whether clients are asked how they verified the person.
  package var verificationMethods = VerificationMethodPolicy.off
  /// The key shapes that decoys are given.
  package var shapes = KeyShapeKeeper()
  /// The joined machines that are unknown ones again.
  package let departed: DepartedMachines
  /// For how long the audit has been unsigned.
  package let auditStanding: AuditStanding
  /// The workstation policy for machines that check in.
  package var machinePolicies: any MachinePolicies
  /// Who the server is; throws as long as that is not known.
  package let identity: @Sendable () throws -> ServerIdentity
  /// Seconds since 1970.
  package let now: @Sendable () -> Int64
  /// Random bytes for challenges and token numbers.
  package let random: @Sendable (Int) throws -> [UInt8]

  package init(
    store: any ServerStore, keys: ServerKeys, models: AuthenticatorModels,
    policies: @escaping @Sendable () throws -> AccountPolicies,
    verificationMethods: VerificationMethodPolicy = .off, shapes: KeyShapeKeeper = KeyShapeKeeper(),
    departed: DepartedMachines = DepartedMachines(), auditStanding: AuditStanding = AuditStanding(),
    machinePolicies: any MachinePolicies = NoMachinePolicies(),
    identity: @escaping @Sendable () throws -> ServerIdentity, now: @escaping @Sendable () -> Int64,
    random: @escaping @Sendable (Int) throws -> [UInt8]
  ) {
    self.store = store
    self.keys = keys
    self.models = models
    self.policies = policies
    self.verificationMethods = verificationMethods
    self.shapes = shapes
    self.departed = departed
    self.auditStanding = auditStanding
    self.machinePolicies = machinePolicies
    self.identity = identity
    self.now = now
    self.random = random
  }

  /// The machine that a header proves, unless it has left; nil also if that cannot be told.
  ///
  /// - Parameter header: as it came; nil for none.
  package func machine(proving header: String?) -> KnownMachine? {
    guard let machine = try? MachineProofs(keys: keys).machine(proving: header, now: now()),
      !machine.isJoined || !departed.contains(machine.machineID)
    else { return nil }
    return machine
  }
}
