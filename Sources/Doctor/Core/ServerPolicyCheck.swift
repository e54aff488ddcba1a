/// The server's policy for this machine, where root follows one: whether it counts, for how long, and what comes from it.
struct ServerPolicyCheck {
  let policy: FollowedPolicyState

  var finding: Finding {
    guard policy.hasJoined else { return .warning(.policyUnjoined, ServerPolicyText.unjoined(policy)) }
    switch (policy.version, policy.note) {
    case (let version?, nil): return .ok(ServerPolicyText.inForce(policy, version: version))
    // An expired policy holds on, and the core's note says only that.
    case (let version?, _?): return .warning(.policyExpired, ServerPolicyText.expired(policy, version: version))
    case (nil, let note?): return .warning(.policyRefused, ServerPolicyText.refused(note))
    case (nil, nil): return .ok(ServerPolicyText.none(policy))
    }
  }
}
