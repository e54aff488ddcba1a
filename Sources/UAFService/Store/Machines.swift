/// The machines that keys were registered on.
package protocol Machines {
  /// Machines in the order of their ids' bytes.
  ///
  /// Keys that name no machine are of none of them.
  ///
  /// - Parameters:
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: how many at most.
  func page(after id: String, limit: Int) throws -> [FleetMachine]

  /// nil if no key is of this machine.
  func machine(_ id: String) throws -> FleetMachine?

  /// The keys of a machine, oldest first, revoked ones included.
  ///
  /// - Parameter limit: how many at most.
  func keys(on id: String, limit: Int) throws -> [KeyRecord]
}
