import Wording

/// Checks the server's policy for this machine, if root lets the server set one: whether it applies, for how long, and which
/// settings come from it.
struct ServerPolicyCheck {
  let policy: FollowedPolicyState

  var finding: Finding {
    guard policy.hasJoined else { return .warning(.policyUnjoined, ServerPolicyText.unjoined(policy)) }
    switch (policy.version, policy.note) {
    case (let version?, nil): return .ok(ServerPolicyText.inForce(policy, version: version))
    // An expired policy still applies, and the core's note says only that it has expired.
    case (let version?, _?): return .warning(.policyExpired, ServerPolicyText.expired(policy, version: version))
    case (nil, let note?): return .warning(.policyRefused, ServerPolicyText.refused(note))
    case (nil, nil): return .ok(ServerPolicyText.none(policy))
    }
  }
}

/// Doctor's texts about the server's policy for this machine.
enum ServerPolicyText: FindingCatalogue {
  case inForce(FollowedPolicyState, version: Int64)
  case expired(FollowedPolicyState, version: Int64)
  /// The stored policy is not in force; with the core's reason for the log.
  case refused(String)
  case unjoined(FollowedPolicyState)
  /// No policy has been received.
  case none(FollowedPolicyState)

  var english: FindingText {
    switch self {
    case .inForce(let policy, let version):
      FindingText(
        "policy: version \(version) of the server's policy is in force, signed \(Self.time(policy.issued)), good until "
          + "\(Self.time(policy.expires)); it sets: \(Self.list(policy.keys, orElse: "nothing"))")
    case .expired(let policy, let version):
      FindingText(
        "policy: version \(version) of the server's policy has expired, signed \(Self.time(policy.issued)), good until "
          + "\(Self.time(policy.expires)); it still applies, and sets: \(Self.list(policy.keys, orElse: "nothing"))",
        do: "uafctl check-in fetches it again; an empty [policy] follow, or uafctl leave, ends it")
    case .refused(let note):
      FindingText(
        "policy: logins use only root's configuration: \(note)",
        do: "correct what that reason names, then uafctl check-in")
    case .unjoined(let policy):
      FindingText(
        "policy: [policy] follow lets the server set \(Self.list(policy.followed, orElse: "nothing")), and this machine has joined no server: "
          + "no policy is received", do: "uafctl join, or take follow out")
    case .none(let policy):
      FindingText(
        "policy: root lets the server set \(Self.list(policy.followed, orElse: "nothing")), and no policy of the server is in force"
      )
    }
  }

  var korean: FindingText {
    switch self {
    case .inForce(let policy, let version):
      FindingText(
        "정책: 서버 정책의 버전 \(version)이(가) 적용되고 있습니다. 서명: \(Self.time(policy.issued)), 유효 기간: "
          + "\(Self.time(policy.expires))까지. 정책에서 온 값: \(Self.list(policy.keys, orElse: "없음"))")
    case .expired(let policy, let version):
      FindingText(
        "정책: 서버 정책의 버전 \(version)은(는) 유효 기간이 지났습니다. 서명: \(Self.time(policy.issued)), 유효 기간: "
          + "\(Self.time(policy.expires))까지. 계속 적용됩니다. 정책에서 온 값: \(Self.list(policy.keys, orElse: "없음"))",
        do: "uafctl check-in으로 다시 받으십시오. [policy] follow를 비우거나 uafctl leave를 실행하면 끝납니다")
    case .refused(let note):
      FindingText(
        "정책: 보관된 정책이 적용되지 않아 root의 설정만으로 로그인합니다. 로그의 내용: \(note)",
        do: "로그에 적힌 것을 바로잡은 뒤 uafctl check-in을 실행하십시오")
    case .unjoined(let policy):
      FindingText(
        "정책: [policy] follow에 \(Self.list(policy.followed, orElse: "없음"))이(가) 있지만 이 컴퓨터는 서버에 가입하지 않아 "
          + "서버에서 오는 정책이 없습니다", do: "uafctl join을 실행하거나 follow를 지우십시오")
    case .none(let policy):
      FindingText(
        "정책: root가 서버에 맡긴 것: \(Self.list(policy.followed, orElse: "없음")). 적용되는 서버 정책이 없습니다")
    }
  }

  private static func time(_ seconds: Int64?) -> String { seconds.map(ShownTime.utc) ?? "?" }

  private static func list(_ names: [String], orElse none: String) -> String {
    names.isEmpty ? none : names.joined(separator: ", ")
  }
}
