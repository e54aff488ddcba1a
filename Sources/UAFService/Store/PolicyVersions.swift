/// The policies that were saved: each is kept, none is changed.
package protocol PolicyVersions {
  /// The number of the policy in force; 0 if none was saved.
  func lastNumber() throws -> Int64

  /// A policy by its number; nil if there is none.
  func version(_ number: Int64) throws -> PolicyVersion?

  /// Policies with a lower number, the newest first.
  ///
  /// - Parameter limit: how many at most.
  func versions(before number: Int64, limit: Int) throws -> [PolicyVersion]

  /// Adds a policy, which is in force from then on.
  ///
  /// - Returns: false if its number is not the next one, and nothing was changed: somebody else was faster.
  func add(_ version: PolicyVersion) throws -> Bool
}
