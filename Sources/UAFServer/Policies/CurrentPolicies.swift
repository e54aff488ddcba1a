import Synchronization
import UAFAdministration
import UAFService

/// The policies in force: those of a file, or those that were saved last in the store.
///
/// A saved policy that this server cannot use is no policy: every request is refused, rather than answered by an older one.
final class CurrentPolicies: Sendable {
  private struct State {
    /// Of the saved policy; 0 for none.
    var number: Int64 = 0
    var policies: Result<AccountPolicies, PolicyProblem>
  }

  private let models: AuthenticatorModels
  private let file: AccountPolicies?
  private let state: Mutex<State>

  /// Makes the policies of a file, or as long as none was saved those that accept each model by itself.
  init(_ file: AccountPolicies?, models: AuthenticatorModels) {
    self.file = file
    self.models = models
    state = Mutex(State(policies: .success(file ?? AccountPolicies(everybody: AcceptedSets(each: models)))))
  }

  /// Whether they come from a file, so that saved ones have no effect.
  var areOfFile: Bool { file != nil }

  /// The number of the saved policy in force; 0 for none.
  var number: Int64 { state.withLock { $0.number } }

  /// - Throws: ``PolicyProblem``: what this server cannot use of the saved policy.
  @Sendable func value() throws -> AccountPolicies { try state.withLock { try $0.policies.get() } }

  /// Takes a saved policy in the place of the one in force.
  ///
  /// - Throws: ``PolicyProblem``; then no policy is in force.
  func replace(by version: PolicyVersion) throws(PolicyProblem) {
    let found: Result<AccountPolicies, PolicyProblem>
    do {
      found = .success(try PolicyParser(models: models).policies(Array(version.text.utf8)))
    } catch { found = .failure(error) }
    state.withLock { $0 = State(number: version.number, policies: found) }
    _ = try found.get()
  }
}
