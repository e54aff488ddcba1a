import UAFMessages

/// The machines that have joined: one place for each code and machine.
///
/// A machine may have places of several codes, and is in one of them at a time: the one that it has not left says what it is.
/// If it has left all, the last one that it took does.
package protocol JoinedMachines {
  /// Takes a place, or describes its machine anew if it has that place already. The machine leaves its other places.
  ///
  /// Whoever calls it has looked in the same transaction whether the code has a free place. A machine that had left is back. It
  /// begins a new row of marks and of offline logins.
  ///
  /// - Parameters:
  ///   - machine: its group is that of the first time.
  ///   - machineID: its number at this server.
  func keep(_ machine: JoinedMachine, machineID: [UInt8]) throws

  /// The place that a machine has of a code; nil if it has none.
  func machine(_ id: String, code number: Int64) throws -> JoinedMachine?

  /// The place that a machine has now, or had last; nil if it never had one.
  func machine(_ id: String) throws -> JoinedMachine?

  /// Machines in the order of their ids' bytes, each with the place that it has now, or had last.
  ///
  /// - Parameters:
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: how many at most.
  func page(after id: String, limit: Int) throws -> [JoinedMachine]

  /// How many machines are in a group now: those that have neither left nor were revoked.
  func count(in group: String) throws -> Int

  /// The same of several groups, at the price of one; those without a machine are left out.
  func counts(in groups: [String]) throws -> [String: Int]

  /// Notes that a machine has left by itself; it keeps its place.
  ///
  /// - Parameters:
  ///   - machineID: its number at this server.
  ///   - now: seconds since 1970.
  /// - Returns: the machine; nil if none has this number, or it has left or was revoked before.
  func markLeft(machineID: [UInt8], now: Int64) throws -> JoinedMachine?

  /// The machine that has a number at this server; nil if none has it, if it has left or was revoked, or has taken another place
  /// since.
  func machine(machineID: [UInt8]) throws -> JoinedMachine?

  /// Keeps what a machine has told of itself, in place of what it told before.
  ///
  /// - Parameters:
  ///   - machineID: its number at this server.
  ///   - report: describes the machine anew where it says something of name, model and system.
  func note(_ contact: MachineContact, _ report: MachineReport, machineID: [UInt8]) throws

  /// Notes that an administrator has revoked a machine, with all its places.
  ///
  /// - Parameter now: seconds since 1970.
  func revoke(_ id: String, now: Int64) throws

  /// What has become of machines, in the order of the changes' numbers; of each place its last change alone.
  ///
  /// - Parameters:
  ///   - number: changes with higher numbers; 0 for all.
  ///   - limit: how many at most.
  func changes(after number: Int64, limit: Int) throws -> [MachineChange]
}
