import FidoResults
import UAFClient

/// The policy that a server gives to the machines that have joined it.
protocol WorkstationPolicy {
  /// The version that this machine uses; nil for none.
  var version: Int64? { get }

  /// Takes what the server has answered to a check-in: what it signed, and a policy if it has sent one.
  ///
  /// - Throws: ``Ending``: the policy is not used. The check-in has succeeded all the same.
  func take(_ answer: CheckInFlow.Answer) throws(Ending)
}

/// No policy of a server is used.
struct NoWorkstationPolicy: WorkstationPolicy {
  var version: Int64? { nil }

  func take(_ answer: CheckInFlow.Answer) throws(Ending) {}
}
