import Authenticator
import FidoResults
import UAFClient

/// The policy of the server that this machine has joined, as a check-in tells of it and brings it.
struct FollowedPolicy {
  let keeper: PolicyKeeper
  let standing: PolicyStanding
  let server: ServerAccess
  let log: CallLog
  let now: () -> BootTime

  /// The version that the server is told: 0 asks for the one that it has, nil for none (``PolicyKeeper/toldVersion(_:at:)``).
  var version: Int64? { keeper.toldVersion(standing.policy, at: now().wallSeconds) }

  /// Keeps the policy that the server has sent with its answer, if it has sent one; it counts from the next call on.
  ///
  /// - Throws: ``Ending``: the policy is not used. The check-in has succeeded all the same.
  func take(_ answer: CheckInFlow.Answer) throws(Ending) {
    guard let token = answer.policy else { return }
    switch keeper.take(Array(token.utf8), publicKeys: server.verdictKeys ?? [], at: now().wallSeconds) {
    case .kept(let version): log.write(.serverPolicy, "policy \(version) counts from the next call on", .notice)
    case .refused(let why): throw Ending(.invalidParameter, log: why)
    }
  }
}
