import UAFClient
import UAFConfiguration
import UAFMessages

/// What the server's policy means for one call.
struct PolicyStanding {
  /// Root's configuration, with the policy where one is in force.
  let configuration: Configuration
  /// The policy that is in force; nil for none.
  var policy: WorkstationPolicy?
  /// What there is to say of it to root: that it has expired, or why the kept one is not in force.
  var note: String?
  /// Whether this machine has joined a server; nothing is asked for, or taken, before it has.
  var hasJoined = true
}
