import UAFMessages

/// The machines that have joined: one join record for each pair of join code and machine.
///
/// A machine may have joined with several codes, but uses one record at a time: the one that it has not left. If it has left
/// all, the newest record describes it.
package protocol JoinedMachines {
  /// Adds a join record, or updates it if the machine has joined with this code before. The machine's records of other codes
  /// are marked as left.
  ///
  /// The caller has checked in the same transaction that the code allows one more machine. A machine that had left is joined
  /// again. It begins a new sequence of report nonces and of offline logins.
  ///
  /// - Parameters:
  ///   - machine: the machine; if it has joined with this code before, its stored group is not changed.
  ///   - machineID: its ID at this server.
  func keep(_ machine: JoinedMachine, machineID: [UInt8]) throws

  /// The join record of a machine for a code; nil if there is none.
  func machine(_ id: String, code number: Int64) throws -> JoinedMachine?

  /// The join record that a machine uses now, or used last; nil if it never joined.
  func machine(_ id: String) throws -> JoinedMachine?

  /// Machines in the order of their IDs' bytes, each with the join record that it uses now, or used last.
  ///
  /// - Parameters:
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: how many at most.
  func page(after id: String, limit: Int) throws -> [JoinedMachine]

  /// How many machines are in a group now: those that have not left and were not revoked.
  func count(in group: String) throws -> Int

  /// The same counts for several groups in one query; groups without a machine are left out.
  func counts(in groups: [String]) throws -> [String: Int]

  /// Notes that a machine has left by itself. It still counts as one of the machines that its code allows.
  ///
  /// - Parameters:
  ///   - machineID: its ID at this server.
  ///   - now: seconds since 1970.
  /// - Returns: the machine; nil if none has this ID, or if it has left or was revoked before.
  func markLeft(machineID: [UInt8], now: Int64) throws -> JoinedMachine?

  /// The machine with an ID at this server; nil if there is none, or if it has left, was revoked, or has joined with a
  /// different code since.
  func machine(machineID: [UInt8]) throws -> JoinedMachine?

  /// Stores a machine's report about itself, instead of its earlier report.
  ///
  /// - Parameters:
  ///   - machineID: its ID at this server.
  ///   - report: its name, model and system replace the stored ones, unless they are missing.
  func note(_ contact: MachineContact, _ report: MachineReport, machineID: [UInt8]) throws

  /// Notes that an administrator has revoked a machine: all its join records are marked.
  ///
  /// - Parameter now: seconds since 1970.
  func revoke(_ id: String, now: Int64) throws

  /// Changes of machines, in the order of the changes' numbers; of each join record only the last change.
  ///
  /// - Parameters:
  ///   - number: changes with higher numbers; 0 for all.
  ///   - limit: how many at most.
  func changes(after number: Int64, limit: Int) throws -> [MachineChange]
}

/// A machine that has joined with a code, and its present state.
///
/// What a machine says about itself is not verified.
package struct JoinedMachine: Equatable, Sendable {
  /// The number of the join code.
  package let codeNumber: Int64
  /// The device ID.
  package let id: String
  /// What the machine said about itself when it joined or checked in last.
  package let name: String?
  package let model: String?
  package let system: String?
  package let group: String
  /// In seconds since 1970, like the times below.
  package let joinedAt: Int64
  /// When it left by itself; nil if it has not, or has joined again.
  package let leftAt: Int64?
  /// When an administrator revoked it; a revoked machine cannot join again with this code.
  package let revokedAt: Int64?
  /// Its last report; nil if it has not checked in with this code.
  package let contact: MachineContact?

  package init(
    codeNumber: Int64, id: String, name: String?, model: String?, system: String?, group: String, joinedAt: Int64,
    leftAt: Int64? = nil, revokedAt: Int64? = nil, contact: MachineContact? = nil
  ) {
    self.codeNumber = codeNumber
    self.id = id
    self.name = name
    self.model = model
    self.system = system
    self.group = group
    self.joinedAt = joinedAt
    self.leftAt = leftAt
    self.revokedAt = revokedAt
    self.contact = contact
  }

  /// When it left or was revoked, in seconds since 1970; nil if it is still joined.
  package var departedAt: Int64? { leftAt ?? revokedAt }
}

/// A change of a machine: it left, was revoked, or joined again after it had left.
package struct MachineChange: Equatable, Sendable {
  /// Later changes have higher numbers.
  package let number: Int64
  /// The machine as it is now.
  package let machine: JoinedMachine

  package init(number: Int64, machine: JoinedMachine) {
    self.number = number
    self.machine = machine
  }
}

/// The record of an issued join code: for which group, by whom, and how many machines have joined with it.
///
/// It does not contain the code.
package struct JoinCode: Equatable, Sendable {
  /// The state of a code.
  package enum State: String, CaseIterable, Sendable {
    /// A further machine can join with it.
    case open
    case usedUp
    case expired
    case closed
  }

  package let number: Int64
  /// The group of machines that join with it.
  package let group: String
  /// How many machines may join with it.
  package let machines: Int
  /// How many machines have joined, including those that have left.
  package let used: Int
  /// In the form of ``AuditActor/text``.
  package let issuedBy: String
  /// In seconds since 1970, like `expiresAt`.
  package let issuedAt: Int64
  package let expiresAt: Int64
  /// Whether somebody has closed it.
  package let isClosed: Bool

  package init(
    number: Int64, group: String, machines: Int, used: Int, issuedBy: String, issuedAt: Int64, expiresAt: Int64,
    isClosed: Bool
  ) {
    self.number = number
    self.group = group
    self.machines = machines
    self.used = used
    self.issuedBy = issuedBy
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.isClosed = isClosed
  }

  /// Its state at a time, in seconds since 1970.
  package func state(at now: Int64) -> State {
    if isClosed { return .closed }
    if now >= expiresAt { return .expired }
    return used < machines ? .open : .usedUp
  }
}

/// The codes with which machines join.
///
/// A store keeps ``OneTimeCode/hash(_:)`` and not the code; of a closed code it keeps not even the hash.
package protocol JoinCodes {
  /// Adds a code.
  ///
  /// - Parameters:
  ///   - machines: how many machines may join with it.
  ///   - issuer: in the form of ``AuditActor/text``.
  ///   - expiresAt: seconds since 1970, and so is `now`.
  /// - Returns: the number of the code.
  func add(
    _ code: String, group: String, machines: Int, by issuer: String, now: Int64, expiresAt: Int64
  ) throws -> Int64

  /// The record of a code that is not closed, even if it has expired or is used up; nil for any other text.
  func code(_ code: String) throws -> JoinCode?

  /// Codes, the newest first.
  ///
  /// - Parameters:
  ///   - number: codes with lower numbers; nil for the first page.
  ///   - limit: how many at most.
  func page(before number: Int64?, limit: Int) throws -> [JoinCode]

  /// Closes a code permanently; the machines that have joined with it stay.
  ///
  /// - Returns: false if there is no code with this number, or if it was closed before.
  func close(_ number: Int64) throws -> Bool

  /// Closes all codes.
  func closeAll() throws
}
