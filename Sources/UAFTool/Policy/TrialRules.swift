import Authenticator
import Doctor
import FidoResults
import UAFConfiguration

/// The rules for passcodes that a value is tried against: those of a file and, where its root follows the server, those of the
/// policy that is in force.
struct TrialRules {
  /// A problem with a value, and where its rule comes from.
  struct Problem: Equatable {
    let problem: PasscodeProblem
    /// The server's policy that has the rule; nil for the file.
    let policy: Int64?
  }

  /// The file's.
  private let own: PasscodePolicy
  /// Both together; nil where no policy of the server's is in force.
  private let followed: (policy: PasscodePolicy, version: Int64)?
  /// Why the server's policy could not be tried; nil where it is tried, or none is in force.
  let untried: StatusFailure?

  /// Finds the rules, and asks the core where the file lends `[passcode]` to the server.
  ///
  /// A file that root has not written stands for itself: no core goes by it.
  ///
  /// - Throws: ``ToolError/configuration(_:)`` where the policy does not go with the file.
  init(_ source: PolicySource, core: some StatusSource) throws(ToolError) {
    let configuration = source.configuration
    own = configuration.passcode.policy
    guard source.isRoots, configuration.server != nil, configuration.policy.followed.contains(.passcode) else {
      (followed, untried) = (nil, nil)
      return
    }
    let state: FollowedPolicyState?
    do throws(StatusFailure) { state = try core.own().policy } catch {
      (followed, untried) = (nil, error)
      return
    }
    guard let version = state?.version else {
      (followed, untried) = (nil, nil)
      return
    }
    guard let text = state?.text else {
      (followed, untried) = (nil, StatusFailure(PolicyTrialText.notTold(version: version)))
      return
    }
    do throws(ConfigurationError) {
      let lent = try LentSettingsReader.settings(text, version: version)
      let merged = try PolicyMerge(own: configuration, lent: lent).merged()
      (followed, untried) = ((merged.passcode.policy, version), nil)
    } catch { throw .configuration(.unusable(error)) }
  }

  /// What is wrong with a value: a problem that the file alone does not have comes from the policy.
  func problems(_ value: Span<UInt8>) -> [Problem] {
    let ofFile = own.check(value)
    guard let followed else { return ofFile.map { Problem(problem: $0, policy: nil) } }
    return followed.policy.check(value).map { problem in
      Problem(problem: problem, policy: ofFile.contains(problem) ? nil : followed.version)
    }
  }
}
