import PAMStacks
import Wording

/// What doctor says of the group whose members are led past pam_uaf.
enum RescueText: FindingCatalogue {
  case noGroup
  case nobody
  /// Only root may look at passwords.
  case closed
  case noPassword(String)
  case fine([String])

  private static let group = WayIn.rescueGroup

  var english: FindingText {
    switch self {
    case .noGroup:
      FindingText("pam: there is no group \(Self.group), the second way in", do: WayIn.Hint().english)
    case .nobody: FindingText("pam: nobody is in \(Self.group), the second way in", do: WayIn.Hint().english)
    case .closed: FindingText.asRoot("pam: the passwords of \(Self.group)")
    case .noPassword(let name):
      FindingText(
        "pam: \(name) of \(Self.group) has no password that can be used",
        do: "passwd \(name), or take it out of the group")
    case .fine(let names): FindingText("pam: \(names.joined(separator: ", ")) of \(Self.group) can use a password")
    }
  }

  var korean: FindingText {
    switch self {
    case .noGroup: FindingText("pam: 두 번째 길인 그룹 \(Self.group)이(가) 없습니다", do: WayIn.Hint().korean)
    case .nobody: FindingText("pam: 두 번째 길인 그룹 \(Self.group)에 아무도 없습니다", do: WayIn.Hint().korean)
    case .closed: FindingText.asRootKorean("pam: \(Self.group) 그룹의 비밀번호")
    case .noPassword(let name):
      FindingText(
        "pam: \(Self.group) 그룹의 \(name)에게 쓸 수 있는 비밀번호가 없습니다", do: "passwd \(name), 또는 그룹에서 빼십시오")
    case .fine(let names):
      FindingText("pam: \(Self.group) 그룹의 \(names.joined(separator: ", ")): 비밀번호를 쓸 수 있습니다")
    }
  }
}
