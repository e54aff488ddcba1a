import UAFMessages

/// The machines that have joined: one place for each code and machine.
///
/// A machine may have places of several codes, but uses one at a time: the one that it has not left. If it has left all, its
/// last place describes it.
package protocol JoinedMachines {
  /// Takes a place, or describes its machine again if it already has that place. The machine leaves its other places.
  ///
  /// The caller has checked in the same transaction whether the code has a free place. A machine that had left has returned. It
  /// begins a new sequence of report nonces and of offline logins.
  ///
  /// - Parameters:
  ///   - machine: its group stays the one of the first time.
  ///   - machineID: its ID at this server.
  func keep(_ machine: JoinedMachine, machineID: [UInt8]) throws

  /// The place that a machine has of a code; nil if it has none.
  func machine(_ id: String, code number: Int64) throws -> JoinedMachine?

  /// The place that a machine has now, or had last; nil if it never had one.
  func machine(_ id: String) throws -> JoinedMachine?

  /// Machines in the order of their IDs' bytes, each with the place that it has now, or had last.
  ///
  /// - Parameters:
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: how many at most.
  func page(after id: String, limit: Int) throws -> [JoinedMachine]

  /// How many machines are in a group now: those that have not left and were not revoked.
  func count(in group: String) throws -> Int

  /// The numbers of machines of several groups in one query; groups without a machine are left out.
  func counts(in groups: [String]) throws -> [String: Int]

  /// Notes that a machine has left by itself; it keeps its place.
  ///
  /// - Parameters:
  ///   - machineID: its ID at this server.
  ///   - now: seconds since 1970.
  /// - Returns: the machine; nil if none has this ID, or if it has left or was revoked before.
  func markLeft(machineID: [UInt8], now: Int64) throws -> JoinedMachine?

  /// The machine with an ID at this server; nil if none has it, if it has left or was revoked, or has taken a different place
  /// since.
  func machine(machineID: [UInt8]) throws -> JoinedMachine?

  /// Keeps what a machine has reported about itself, instead of its earlier report.
  ///
  /// - Parameters:
  ///   - machineID: its ID at this server.
  ///   - report: replaces name, model and system where it has them.
  func note(_ contact: MachineContact, _ report: MachineReport, machineID: [UInt8]) throws

  /// Notes that an administrator has revoked a machine, with all its places.
  ///
  /// - Parameter now: seconds since 1970.
  func revoke(_ id: String, now: Int64) throws

  /// Changes of machines, in the order of the changes' numbers; only the last change of each place.
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
  /// The machine's own description when it joined or checked in last.
  package let name: String?
  package let model: String?
  package let system: String?
  package let group: String
  /// Seconds since 1970, and so are the others.
  package let joinedAt: Int64
  /// When it left by itself; nil if it has not, or has joined again.
  package let leftAt: Int64?
  /// When an administrator revoked it; it cannot join again with this code.
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

  /// Since when the server no longer knows it, in seconds since 1970; nil if it does.
  package var departedAt: Int64? { leftAt ?? revokedAt }
}

/// A change of a machine: it has left, was revoked, or has joined again after it left.
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

/// An issued join code: for which machines, by whom, and how many have joined with it; never the code.
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
  /// How many have joined; a machine that has left keeps its place.
  package let used: Int
  /// As the audit names them.
  package let issuedBy: String
  /// Seconds since 1970, and so is the other.
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
/// A store keeps ``OneTimeCode/hash(_:)``, not the code, and for a closed code not even the hash.
package protocol JoinCodes {
  /// Adds a code.
  ///
  /// - Parameters:
  ///   - machines: how many machines may join with it.
  ///   - issuer: as the audit names them.
  ///   - expiresAt: seconds since 1970, and so is `now`.
  /// - Returns: its number.
  func add(
    _ code: String, group: String, machines: Int, by issuer: String, now: Int64, expiresAt: Int64
  ) throws -> Int64

  /// The code that is not closed, even if it has expired or is used up; nil for any other text.
  func code(_ code: String) throws -> JoinCode?

  /// Codes, the newest first.
  ///
  /// - Parameters:
  ///   - number: codes with lower numbers; nil for the first page.
  ///   - limit: how many at most.
  func page(before number: Int64?, limit: Int) throws -> [JoinCode]

  /// Closes a code permanently; the machines that have joined with it stay.
  ///
  /// - Returns: false if the number has none, or if it was closed before.
  func close(_ number: Int64) throws -> Bool

  /// Closes all codes.
  func closeAll() throws
}
