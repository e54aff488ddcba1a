/// The policies for workstations that were saved: each is kept, none is changed.
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
  ///   - group: those of groups after this one; empty for the first page.
  ///   - limit: how many at most.
  func inForce(after group: String, limit: Int) throws -> [SavedMachinePolicy]

  /// Policies with a lower number, the newest first.
  ///
  /// - Parameters:
  ///   - number: policies before this one.
  ///   - group: those of one group; nil for all.
  ///   - limit: how many at most.
  func policies(before number: Int64, of group: String?, limit: Int) throws -> [SavedMachinePolicy]

  /// Adds a policy, which is in force for its group from then on.
  ///
  /// - Returns: false if its number is not higher than all others, and nothing was changed: somebody else was faster.
  func add(_ policy: SavedMachinePolicy) throws -> Bool
}
